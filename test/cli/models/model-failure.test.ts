import { describe, expect, it } from 'vitest'
import { hintFor } from '../../../src/cli/models/model-failure.ts'
import { chooseModel } from '../../../src/cli/models/model-choice.ts'

const vendor = { choice: chooseModel('deepseek/x', undefined), keyVariable: 'DEEPSEEK_API_KEY' }
const server = { choice: chooseModel('local/x', 'http://127.0.0.1:9/v1'), keyVariable: undefined }
const bare = { choice: chooseModel('local/x', 'http://127.0.0.1:9'), keyVariable: undefined }
const hint = (message: string, context: Parameters<typeof hintFor>[1] = vendor, code = 'MODEL_ERROR') =>
  hintFor({ code, phase: 'running', retryable: false, message }, context)

describe('what to do about a model that failed', () => {
  it('C3: differs by the kind of failure', () => {
    expect(hint('deepseek refused the credentials (HTTP 401).')).toBe(
      'Check the key in DEEPSEEK_API_KEY: it was sent to deepseek, which did not take it.',
    )
    expect(hint('local refused the credentials (HTTP 401).', server)).toMatch(
      /^http:\/\/127\.0\.0\.1:9\/v1 wants a key\. Set OPENAI_API_KEY/,
    )
    expect(hint('x refused the call (HTTP 404): no.', bare)).toContain('/v1 at its end')
    expect(hint('x refused the call (HTTP 404): no.', server)).toBe('Check --base-url. Check the model id x too.')
    expect(hint('x refused the call (HTTP 404): no.')).toContain('Check the model id')
    expect(hint('x refused the call (HTTP 402): no.')).toContain('balance')
    expect(hint('x is limiting the rate (HTTP 429): no.')).toContain('Wait a while')
    expect(hint('x failed (HTTP 500): no.')).toContain('The fault is at deepseek')
    expect(hint('x refused the call (HTTP 400): no.')).toContain('can call tools')
    expect(hint('x cannot be reached (ECONNREFUSED).', server)).toBe('Is a server running at http://127.0.0.1:9/v1? Check --base-url.')
    expect(hint('x could not be called: bad port.', server)).toContain('Check --base-url')
    expect(hint('x cannot be reached (ENOTFOUND).')).toContain('network')
    expect(hint('The connection to x was dropped in the middle of the answer (ECONNRESET).')).toMatch(/^Run the command again;/)
    expect(hint('x sent an answer that cannot be read (malformed).', server)).toContain("speak OpenAI's protocol")
  })

  it('C3: names protocol and /v1 where the answer was none: a page, other JSON, an end without a word, a redirect', () => {
    const question = "Does http://127.0.0.1:9 speak OpenAI's protocol? Check --base-url: most servers want /v1 at its end."
    expect(hint('x broke off its answer: Response stream ended without a finish reason.', bare)).toBe(
      `${question} If it does: Run the command again; if the line drops each time, look at what stands between here and the server.`,
    )
    expect(hint('x gave an empty answer: its stream ended without any output.', bare)).toContain(question)
    expect(hint('x could not be called: Cannot connect to API: redirect count exceeded. Tried 3 times.', bare)).toBe(
      `http://127.0.0.1:9 sends the request on to another address, and so on. ${question}`,
    )
    expect(hint('x sent an answer that cannot be read (malformed stream).', server)).toBe(
      "Does http://127.0.0.1:9/v1 speak OpenAI's protocol? Check --base-url.",
    )
    expect(hint('x broke off its answer: y.')).toMatch(/^Run the command again;/)
  })

  it('C3: is left out where there is nothing to add', () => {
    expect(hint('odd')).toBeUndefined()
    expect(hint('x', vendor, 'DEAF')).toBeUndefined()
    expect(hint('x', vendor, 'MAX_STEPS')).toBe('The model took too many steps. Give run a smaller task, or another model with --model.')
  })
})
