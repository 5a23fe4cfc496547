import { describe, expect, it } from 'vitest'
import type { Session, SessionEvent, TurnEndReason } from '../../src/index.ts'
import { readOutcome } from '../../src/providers/outcome.ts'

type Entry = SessionEvent extends infer Event ? (Event extends SessionEvent ? Omit<Event, 'seq' | 'at'> : never) : never

function session(entries: readonly Entry[], seedLength?: number): Session {
  return {
    header: { version: 1, id: 'session-1', createdAt: 0, ...(seedLength !== undefined && { seedLength }) },
    events: entries.map((entry, seq) => Object.freeze({ seq, at: seq, ...entry }) as SessionEvent),
  }
}

const start = (turn: number): Entry => ({ type: 'turn/start', turn })
const user = (text = 'go'): Entry => ({ type: 'user/message', content: [{ type: 'text', text }] })
const context = (text = 'by the way'): Entry => ({ type: 'context/message', content: [{ type: 'text', text }], source: 'test' })
const says = (text: string): Entry => ({
  type: 'assistant/message',
  content: text === '' ? [] : Object.freeze([Object.freeze({ type: 'text' as const, text })]),
  usage: { inputTokens: 2, outputTokens: 1 },
})
const end = (turn: number, reason: TurnEndReason | TurnEndReason['kind']): Entry => ({
  type: 'turn/end',
  turn,
  reason: typeof reason === 'string' ? ({ kind: reason } as TurnEndReason) : reason,
})
const text = (value: string) => [{ type: 'text', text: value }]

describe('the stop reason', () => {
  const cases: [TurnEndReason['kind'], string, string | undefined][] = [
    ['completed', 'completed', undefined],
    ['aborted', 'aborted', undefined],
    ['max-tokens', 'max-tokens', undefined],
    ['refusal', 'refusal', undefined],
    ['rejected', 'refusal', undefined],
    ['disposed', 'aborted', undefined],
    ['max-steps', 'error', 'MAX_STEPS'],
  ]
  it.each(cases)('P6: a last turn that ended %s is %s, failure %s, with the text kept', (kind, stopReason, code) => {
    const outcome = readOutcome(session([start(1), user(), says('so far'), end(1, kind)]))
    expect(outcome).toMatchObject({ stopReason, output: text('so far'), sessionId: 'session-1' })
    expect(outcome.failure?.code).toBe(code)
    expect(outcome.diagnostic).toBe(outcome.failure?.message)
  })

  it('P6: a reason that is not known is an error', () => {
    expect(readOutcome(session([start(1), user(), end(1, 'novel' as 'completed')])).stopReason).toBe('error')
  })

  it('P6, G12: a model error is an error with provider, status, retryable and phase', () => {
    const reason: TurnEndReason = {
      kind: 'error',
      message: 'acme failed (HTTP 529): overloaded.',
      provider: 'acme',
      status: 529,
      retryable: true,
    }
    expect(readOutcome(session([start(1), user(), says('half'), end(1, reason)]))).toEqual({
      output: text('half'),
      stopReason: 'error',
      failure: { code: 'MODEL_ERROR', phase: 'running', retryable: true, message: 'acme failed (HTTP 529): overloaded.' },
      diagnostic: 'acme failed (HTTP 529): overloaded.',
      usage: { inputTokens: 2, outputTokens: 1 },
      sessionId: 'session-1',
    })
  })

  it('R13: a turn that broke without a model to blame is no MODEL_ERROR', () => {
    expect(readOutcome(session([start(1), user(), end(1, { kind: 'error', message: 'The turn failed: x' })])).failure).toMatchObject({
      code: 'CRASHED',
      retryable: false,
      message: 'The turn failed: x',
    })
  })

  it('R13: a log without the end of a turn is an error, never a success', () => {
    expect(readOutcome(session([start(1), user(), says('text')]))).toMatchObject({ stopReason: 'error', failure: { code: 'CRASHED' } })
    expect(readOutcome(session([]))).toMatchObject({ stopReason: 'error', output: [] })
  })

  it('P7: a prompt that was dropped before it began is aborted with nothing, whatever an injected message completed', () => {
    const injected = [start(1), context(), end(1, 'completed')]
    const dropped = (turn: number) => [start(turn), end(turn, 'aborted')]
    expect(readOutcome(session([...injected, ...dropped(2)]))).toEqual({ output: [], stopReason: 'aborted', sessionId: 'session-1' })
    expect(readOutcome(session([...dropped(1), start(2), context(), end(2, 'completed')]))).toEqual({
      output: [],
      stopReason: 'aborted',
      sessionId: 'session-1',
    })
  })

  it('P6: a turn that only took in context does not cover a failed one, and context inside a turn belongs to it', () => {
    const failed: TurnEndReason = { kind: 'error', message: 'm', provider: 'acme' }
    expect(readOutcome(session([start(1), user(), end(1, failed), start(2), context(), end(2, 'completed')])).stopReason).toBe('error')
    expect(readOutcome(session([start(1), user(), says('a'), context(), end(1, 'max-tokens')])).stopReason).toBe('max-tokens')
  })
})

describe('the output', () => {
  it('P5: it is the last assistant message that is not empty, over all own turns', () => {
    expect(
      readOutcome(
        session([
          start(1),
          user(),
          says('first'),
          says('second'),
          says(''),
          end(1, 'completed'),
          start(2),
          user(),
          says(''),
          end(2, 'completed'),
        ]),
      ).output,
    ).toEqual(text('second'))
    expect(readOutcome(session([start(1), user(), says(''), end(1, 'completed')])).output).toEqual([])
  })

  it('P5: it is never an inherited message, nor is an inherited turn the stop reason or part of the usage', () => {
    const inherited = [start(1), user('parent'), says('of the parent'), end(1, 'completed')]
    expect(readOutcome(session([...inherited, start(2), user(), end(2, 'aborted')], 4))).toEqual({
      output: [],
      stopReason: 'aborted',
      sessionId: 'session-1',
    })
    expect(readOutcome(session([...inherited, start(2), user(), says('own'), end(2, 'completed')], 4))).toEqual({
      output: text('own'),
      stopReason: 'completed',
      usage: { inputTokens: 2, outputTokens: 1 },
      sessionId: 'session-1',
    })
  })

  it('P5: it is a copy that can be changed, of a log that cannot', () => {
    const log = session([start(1), user(), says('kept'), end(1, 'completed')])
    const [block] = readOutcome(log).output
    Object.assign(block!, { text: 'changed' })
    expect(readOutcome(log).output).toEqual(text('kept'))
  })

  it('P6: usage is the sum over the own turns', () => {
    expect(
      readOutcome(session([start(1), user(), says('a'), says('b'), end(1, 'completed'), start(2), user(), says('c'), end(2, 'completed')]))
        .usage,
    ).toEqual({ inputTokens: 6, outputTokens: 3 })
  })
})
