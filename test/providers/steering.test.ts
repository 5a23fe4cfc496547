import { tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { rootAgent } from '../../src/index.ts'
import { textOf, until } from './collect.ts'
import { setUp } from './set-up.ts'

const parent = rootAgent()

/** A tool that waits to be told. */
function held() {
  let open!: () => void
  const wait = new Promise<void>((resolve) => (open = resolve))
  let calls = 0
  const hold = tool({
    inputSchema: z.object({}),
    execute: async () => {
      calls++
      await wait
    },
  })
  return { tools: { hold }, open: () => open(), isCalled: () => calls > 0 }
}

describe.each(['spawn', 'fork'])('%s', (provider) => {
  it('P12: a message in the tick of the start goes into the turn of the prompt', async () => {
    const { service, model, logOf } = setUp(['both'])
    const run = service.start(provider, { parent, prompt: 'first' })
    run.sendMessage!('second')
    expect(textOf(await run.result)).toBe('both')
    expect(model.calls).toHaveLength(1)
    expect(logOf(run.id)).toEqual(['turn 1', 'user "first"', 'user "second"', 'assistant "both"', 'end 1 completed'])
    await service.close()
  })

  it('P12, G4: one while a tool runs goes in before the next step', async () => {
    const { tools, open, isCalled } = held()
    const { service, logOf } = setUp([{ text: 'calling', tools: [{ name: 'hold' }] }, 'with both'], { tools })
    const run = service.start(provider, { parent, prompt: 'first' })
    await until(isCalled)
    run.sendMessage!([{ type: 'text', text: 'second' }])
    open()
    expect(textOf(await run.result)).toBe('with both')
    expect(logOf(run.id)).toEqual([
      'turn 1',
      'user "first"',
      'assistant "calling"',
      'call hold {}',
      'result hold ok null',
      'user "second"',
      'assistant "with both"',
      'end 1 completed',
    ])
    await service.close()
  })

  it('P12: one while the last answer is written is answered in the same turn', async () => {
    const { service, logOf } = setUp([() => ({ text: written() }), 'now that'])
    let go!: () => void
    const gate = new Promise<void>((resolve) => (go = resolve))
    async function* written() {
      yield 'almost '
      await gate
      yield 'done'
    }
    const run = service.start(provider, { parent, prompt: 'first' })
    for await (const update of run.updates) if (update.type === 'text') break
    run.sendMessage!('one more thing')
    go()
    expect(textOf(await run.result)).toBe('now that')
    expect(logOf(run.id)).toEqual([
      'turn 1',
      'user "first"',
      'assistant "almost done"',
      'user "one more thing"',
      'assistant "now that"',
      'end 1 completed',
    ])
    await service.close()
  })

  it('P12: as the turn ends a message is taken and answered, or the call throws; whichever, none is lost', async () => {
    const outcomes = new Set<string>()
    // Sent ever later, a microtask at a time, from when the answer is in the log, and from when the agent comes to rest.
    for (const [from, delay] of ['usage', 'idle'].flatMap((from) => Array.from({ length: 20 }, (_, delay) => [from, delay] as const))) {
      const { agents, service, logOf } = setUp((call) => `answer to ${call.lastUserText}`)
      const run = service.start(provider, { parent, prompt: 'first' })
      let taken: boolean | undefined
      const send = async () => {
        for (let turn = 0; turn < delay; turn++) await Promise.resolve()
        try {
          run.sendMessage!('second')
          taken = true
        } catch (error) {
          taken = false
          expect(error).toMatchObject({ code: 'INVALID_REQUEST', message: expect.stringMatching(/takes no more messages/) })
        }
      }
      let sending: Promise<void> | undefined
      service.on('subagent/update', ({ update }) => {
        if (update.type === from) sending ??= send()
      })
      let wasRunning = false
      agents.get(run.id)!.ref.subscribe(({ value }) => {
        if (wasRunning && value === from) sending ??= send()
        wasRunning ||= value === 'running'
      })
      await run.result
      await sending
      const answer = textOf(await run.result)
      expect([from, delay, taken, answer]).toEqual([from, delay, taken, taken ? 'answer to second' : 'answer to first'])
      expect(logOf(run.id).filter((line) => line.startsWith('user'))).toEqual(taken ? ['user "first"', 'user "second"'] : ['user "first"'])
      outcomes.add(`${taken} in ${logOf(run.id).filter((line) => line.startsWith('turn')).length}`)
      await service.close()
    }
    // All three happen: in the turn, in a turn of its own, and refused.
    expect([...outcomes].toSorted()).toEqual(['false in 1', 'true in 1', 'true in 2'])
  })

  it('P12: after a cancel, a deadline or the end a message is refused in words', async () => {
    const { tools, isCalled } = held()
    const { service } = setUp((call) => (call.lastUserText === 'hold' ? { tools: [{ name: 'hold' }] } : 'done'), { tools })
    const run = service.start(provider, { parent, prompt: 'hold' })
    await until(isCalled)
    run.cancel('enough')
    expect(() => run.sendMessage!('wait')).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', message: expect.stringMatching(/is being cancelled and takes no more messages/) }),
    )
    expect((await run.result).stopReason).toBe('aborted')
    expect(() => run.sendMessage!('wait')).toThrow(/has settled and takes no more messages\. Use resume/)
    const over = service.start(provider, { parent, prompt: 'go' })
    await over.result
    expect(() => over.sendMessage!('wait')).toThrow(/has settled/)
    expect(() => over.sendMessage!('')).toThrow(/content must be a non-empty string/)
  })

  it('P12: a message to a child whose turn fails or is cut off is answered in the next one, and that decides the outcome', async () => {
    const { service } = setUp([() => ({ text: written(), finish: 'length' }), 'better'])
    let go!: () => void
    const gate = new Promise<void>((resolve) => (go = resolve))
    async function* written() {
      yield 'half'
      await gate
    }
    const run = service.start(provider, { parent, prompt: 'first' })
    for await (const update of run.updates) if (update.type === 'text') break
    run.sendMessage!('shorter')
    go()
    expect(await run.result).toMatchObject({ stopReason: 'completed', output: [{ text: 'better' }] })
    await service.close()
  })

  it('V5, P12: both methods are there on every run', async () => {
    const { service } = setUp(['done'])
    const run = service.start(provider, { parent, prompt: 'go' })
    expect(['sendMessage' in run, 'resume' in run]).toEqual([true, true])
    expect(() => run.resume!('too early')).toThrow(/has not settled: send it a message, or wait for its result/)
    await service.close()
  })
})
