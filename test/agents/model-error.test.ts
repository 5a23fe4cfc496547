import { APICallError, JSONParseError, LoadAPIKeyError, NoOutputGeneratedError, RetryError, TypeValidationError } from 'ai'
import { describe, expect, it } from 'vitest'
import { describeModelError } from '../../src/agents/model-error.ts'
import { redact, shortMessage } from '../../src/agents/redact.ts'

const describeError = (error: unknown, answering = false) => describeModelError(error, { provider: 'p', answering })
const api = (message: string, statusCode?: number, cause?: unknown) =>
  new APICallError({
    message,
    url: 'http://x/?key=abc',
    requestBodyValues: { secret: 'BODY' },
    ...(statusCode !== undefined && { statusCode }),
    ...(cause !== undefined && { cause }),
    responseBody: 'BODY',
  })
const coded = (code: string, message = 'low level') => Object.assign(new Error(message), { code })

describe('G12: a failed model call as the end of a turn', () => {
  it('names provider, status and a short message, and whether another try may help', () => {
    const cases: [unknown, string, boolean, number?][] = [
      [api('nope', 401), 'p refused the credentials (HTTP 401).', false, 401],
      [api('nope', 403), 'p refused the credentials (HTTP 403).', false, 403],
      [api('no such model', 404), 'p refused the call (HTTP 404): no such model.', false, 404],
      [api('Wait!', 429), 'p is limiting the rate (HTTP 429): Wait!', true, 429],
      [api('', 500), 'p failed (HTTP 500): no message.', true, 500],
      [api('Cannot connect to API: x', undefined, coded('ECONNREFUSED')), 'p cannot be reached (ECONNREFUSED).', true],
      [
        api('Cannot connect to API: x', undefined, new TypeError('fetch failed', { cause: coded('UND_ERR_SOCKET') })),
        'The connection to p was dropped before an answer (UND_ERR_SOCKET).',
        true,
      ],
      [new AggregateError([coded('ECONNREFUSED')]), 'p cannot be reached (ECONNREFUSED).', true],
      [
        api('Invalid JSON response', 200, new JSONParseError({ text: 'BODY', cause: new Error('x') })),
        'p sent an answer that cannot be read (malformed).',
        false,
      ],
      [new JSONParseError({ text: 'BODY', cause: new Error('x') }), 'p sent an answer that cannot be read (malformed stream).', false],
      [
        new TypeValidationError({ value: 'BODY', cause: new Error('x') }),
        'p sent an answer that cannot be read (malformed stream).',
        false,
      ],
      [new NoOutputGeneratedError({ message: 'x' }), 'p gave an empty answer: its stream ended without any output.', true],
      [new LoadAPIKeyError({ message: 'The API key is missing' }), 'p failed: The API key is missing.', false],
      [{ message: 'in the stream', type: 'server_error' }, 'p failed: in the stream.', false],
      ['just text', 'p failed: just text.', false],
      [undefined, 'p failed: no message.', false],
      [
        {
          get message() {
            throw new Error('x')
          },
        },
        'p failed: no message.',
        false,
      ],
    ]
    for (const [error, message, retryable, status] of cases)
      expect(describeError(error)).toEqual({ kind: 'error', message, provider: 'p', retryable, ...(status !== undefined && { status }) })
  })

  it('a connection that breaks while the model answers is told from one that broke before', () => {
    expect(describeError(new TypeError('terminated', { cause: coded('ECONNRESET') }), true).message).toBe(
      'The connection to p was dropped in the middle of the answer (ECONNRESET).',
    )
  })

  it('retries are counted, and the last failure is the one described', () => {
    const retry = (...errors: Error[]) => new RetryError({ message: 'Failed after BODY', reason: 'maxRetriesExceeded', errors })
    expect(describeError(retry(api('one', 500), api('two', 503)))).toEqual({
      kind: 'error',
      message: 'p failed (HTTP 503): two. Tried 2 times.',
      provider: 'p',
      retryable: true,
      status: 503,
    })
    expect(describeError(retry(api('one', 500))).message).toBe('p failed (HTTP 500): one. Tried 1 time.')
  })

  it('a long message is one short line', () => {
    const { message } = describeError(api(`line one\n\n  line two ${'word '.repeat(100_000)}`, 500))
    expect([message.startsWith('p failed (HTTP 500): line one line two word'), message.length < 250, message.endsWith(' …')]).toEqual([
      true,
      true,
      true,
    ])
  })
})

describe('G12: redacting', () => {
  it('takes out what looks like a key, and says that something was there', () => {
    const cases: [string, string][] = [
      ['Incorrect API key provided: sk-proj-abcdef123456.', 'Incorrect API key provided: [redacted]'],
      ['key sk-abc***xyz here', 'key [redacted] here'],
      ['Authorization: Bearer abc.def', 'Authorization: [redacted]'],
      ['got "Bearer abcdef" instead', 'got "Bearer [redacted]" instead'],
      ['{"api_key":"short","x":1}', '{"api_key":"[redacted]","x":1}'],
      ['http://user:pass@host/path?key=abc&x=1', 'http://[redacted]@host/path?key=[redacted]&x=1'],
      ['token eyJhbGciOi.eyJzdWIi.sig is old', 'token [redacted] is old'],
      ['AIzaSyA-1234567890 and gsk_abcdefgh', '[redacted] and [redacted]'],
      ['id 0123456789abcdef0123456789abcdef', 'id [redacted]'],
    ]
    for (const [text, safe] of cases) expect(redact(text)).toBe(safe)
  })

  it('leaves ordinary words, names and numbers alone', () => {
    for (const text of [
      'maximum context length is 128000 tokens',
      'model claude-sonnet-4-5 was not found',
      'insufficient_system_resource',
      'HTTP 500: overloaded, retry in 20 s',
      'unsupported parameter: max_completion_tokens',
    ])
      expect(redact(text)).toBe(text)
  })

  it('is quick on long hostile text, and never cuts a character in half', () => {
    const started = process.cpuUsage().user
    for (const text of ['a1-'.repeat(300_000), 'key='.repeat(200_000), 'Bearer '.repeat(100_000), '//'.repeat(400_000)]) shortMessage(text)
    expect((process.cpuUsage().user - started) / 1000).toBeLessThan(500)
    expect(shortMessage('x'.repeat(9) + '😀', 10)).toBe(`${'x'.repeat(9)} …`)
  })
})
