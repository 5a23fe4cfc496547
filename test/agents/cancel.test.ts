import { jsonSchema, tool } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { SimulatedClock } from 'xstate'
import { scriptedModel } from '../../src/testing/scripted-model.ts'
import { ask, gate, lines, settle, setUp } from './harness.ts'

const anything = jsonSchema({ type: 'object' })
const cancelled = 'end 1 aborted {"reason":"no longer needed"}'

describe('cancelling', () => {
  it('G5: idle with nothing pending it does nothing and arms nothing', async () => {
    const { agent } = setUp({ model: scriptedModel(['ok']) })
    agent.cancel('why')
    expect([agent.status, agent.session.events.length]).toEqual(['idle', 0])
    expect(await ask(agent, 'go')).toEqual(['turn 1', 'user "go"', 'assistant "ok"', 'end 1 completed'])
  })

  it('G5: a turn about to begin is dropped: it leaves an aborted turn without its messages, and who waits is told', async () => {
    const model = scriptedModel(['never'])
    const { agent } = setUp({ model })
    agent.send('go')
    const idle = agent.whenIdle()
    agent.cancel('no longer needed')
    await idle
    await settle()
    expect([lines(agent.session), model.calls.length, agent.status]).toEqual([['turn 1', cancelled], 0, 'idle'])
  })

  it('P7: so the last turn of an agent whose prompt never began is aborted, even after context that completed a turn', () => {
    const { agent } = setUp({ model: scriptedModel([]) })
    agent.send('go')
    agent.inject('fact', { source: 'memory' })
    agent.cancel()
    expect(lines(agent.session)).toEqual(['turn 1', 'context "fact" (memory)', 'end 1 completed', 'turn 2', 'end 2 aborted'])
  })

  it('G5: a message sent after the cancel is answered, though the queue was cleared', async () => {
    const { agent } = setUp({ model: scriptedModel(['ok']) })
    agent.send('dropped')
    agent.cancel()
    expect((await ask(agent, 'kept')).slice(2)).toEqual(['turn 2', 'user "kept"', 'assistant "ok"', 'end 2 completed'])
  })

  it('G5: in mid-turn it clears what is queued and steered, aborts the step, and keeps the text so far and the context', async () => {
    const { agent, logger } = setUp({ model: scriptedModel([{ text: ['so ', 'far'], hang: true }]) })
    agent.send('go')
    await settle()
    agent.send('queued')
    agent.steer('steered')
    agent.inject('fact', { source: 'memory' })
    agent.cancel('no longer needed')
    expect(agent.status).toBe('running')
    await agent.whenIdle()
    expect(lines(agent.session)).toEqual(['turn 1', 'user "go"', 'assistant "so far"', 'context "fact" (memory)', cancelled])
    await settle()
    expect([agent.droppedLateResults, logger.lines]).toEqual([0, []])
  })

  it('G5: what is sent right after a cancel in mid-turn begins the next turn', async () => {
    const { agent } = setUp({ model: scriptedModel([{ hang: true }, 'ok']) })
    agent.send('one')
    await settle()
    agent.cancel()
    agent.send('two')
    await agent.whenIdle()
    expect(lines(agent.session)).toEqual([
      'turn 1',
      'user "one"',
      'end 1 aborted',
      'turn 2',
      'user "two"',
      'assistant "ok"',
      'end 2 completed',
    ])
  })

  it('G5: twice is once, and the first reason counts', async () => {
    const { agent } = setUp({ model: scriptedModel([{ hang: true }]) })
    agent.send('go')
    await settle()
    agent.cancel('no longer needed')
    agent.cancel('another')
    await agent.whenIdle()
    agent.cancel('too late')
    expect(lines(agent.session)).toEqual(['turn 1', 'user "go"', cancelled])
  })

  it('a cancel in the very tick in which the turn begins aborts it before the model is asked', async () => {
    const model = scriptedModel(['never'])
    const { agent } = setUp({ model })
    agent.send('go')
    queueMicrotask(() => agent.cancel())
    await agent.whenIdle()
    await settle()
    expect([lines(agent.session), model.calls.length]).toEqual([['turn 1', 'user "go"', 'end 1 aborted'], 0])
  })

  it('a tool may cancel the agent that runs it', async () => {
    const model = scriptedModel([{ tools: [{ name: 'stop' }] }, 'never'])
    const { agent } = setUp({
      model,
      tools: { stop: tool({ inputSchema: anything, execute: async () => agent.cancel('no longer needed') }) },
    })
    expect(await ask(agent, 'go')).toEqual([
      'turn 1',
      'user "go"',
      // It cost something.
      'assistant ""',
      'call stop {}',
      'result stop error "Cancelled before it answered."',
      cancelled,
    ])
    await settle()
    expect(model.calls.length).toBe(1)
  })
})

describe('what ignores a cancel', () => {
  it('G13: a tool that ignores its signal does not hold the turn; its late answer is dropped and counted', async () => {
    const doors = { deaf: gate<string>(), done: gate<string>() }
    const { agent, updates } = setUp({
      model: scriptedModel([{ text: 'calling', tools: [{ name: 'done' }, { name: 'deaf' }] }, 'next turn']),
      tools: {
        done: tool({ inputSchema: anything, execute: () => doors.done.opened }),
        deaf: tool({ inputSchema: anything, execute: () => doors.deaf.opened }),
      },
    })
    agent.send('go')
    await settle()
    doors.done.open('in time')
    await settle()
    agent.cancel('no longer needed')
    await agent.whenIdle()
    const log = [
      'turn 1',
      'user "go"',
      'assistant "calling"',
      'call done {}',
      'call deaf {}',
      'result done ok "in time"',
      'result deaf error "Cancelled before it answered."',
      cancelled,
    ]
    expect([lines(agent.session), agent.droppedLateResults]).toEqual([log, 0])
    expect(updates.filter(({ type }) => type === 'tool-result').map((update) => (update as { status: string }).status)).toEqual([
      'ok',
      'error',
    ])
    doors.deaf.open('too late')
    await settle()
    expect([lines(agent.session), agent.droppedLateResults]).toEqual([log, 1])
  })

  it('G13: a tool that takes for ever to say what the model sees holds neither the turn nor the next, nor dispose', async () => {
    const { opened } = gate()
    const said = vi.fn(() => opened as Promise<never>)
    const scripted = scriptedModel([{ tools: [{ name: 'shot' }] }, 'never asked for', 'done'])
    const { agent, dispose } = setUp({
      model: scripted,
      tools: { shot: tool({ inputSchema: anything, execute: async () => 'a picture', toModelOutput: said }) },
    })
    agent.send('go')
    while (said.mock.calls.length < 1) await settle()
    agent.cancel()
    await agent.whenIdle()
    // From the log.
    agent.send('again')
    while (said.mock.calls.length < 2) await settle()
    agent.cancel()
    await agent.whenIdle()
    await ask(agent, 'once more')
    expect(scripted.calls.at(-1)!.prompt[2]).toMatchObject({ content: [{ output: { type: 'text', value: 'a picture' } }] })
    await dispose()
    expect(scripted.calls.length).toBe(2)
  })

  it('what an answer cost is known though the tools that it called are cancelled', async () => {
    const script = [{ tools: [{ name: 'deaf' }], usage: { inputTokens: 3, outputTokens: 2 } }]
    const execute = vi.fn(() => new Promise<string>(() => {}))
    const { agent, updates } = setUp({ model: scriptedModel(script), tools: { deaf: tool({ inputSchema: anything, execute }) } })
    agent.send('go')
    while (execute.mock.calls.length === 0) await settle()
    agent.cancel()
    await agent.whenIdle()
    const usage = { inputTokens: 3, outputTokens: 2, totalTokens: 5 }
    expect(agent.session.events[2]).toMatchObject({ type: 'assistant/message', content: [], usage })
    expect(updates.at(-1)).toMatchObject({ type: 'usage', usage })
  })

  it('G13: the log of a cancelled turn can be sent to a model again', async () => {
    const model = scriptedModel([{ text: 'calling', tools: [{ name: 'deaf' }] }, 'ok'])
    const { agent } = setUp({ model, tools: { deaf: tool({ inputSchema: anything, execute: () => new Promise<string>(() => {}) }) } })
    agent.send('go')
    await settle()
    agent.cancel()
    await ask(agent, 'again')
    expect(model.calls[1]!.prompt).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'calling' },
          { type: 'tool-call', toolName: 'deaf' },
        ],
      },
      { role: 'tool', content: [{ type: 'tool-result', output: { type: 'error-text', value: 'Cancelled before it answered.' } }] },
      { role: 'user', content: [{ text: 'again' }] },
    ])
  })

  it('a tool that heeds its signal, and one that fails late, are told apart: only the failure counts as late', async () => {
    const late = gate()
    const heeds = tool({
      inputSchema: anything,
      execute: (_, { abortSignal }) =>
        new Promise<string>((_, reject) => abortSignal!.addEventListener('abort', () => reject(abortSignal!.reason as Error))),
    })
    const fails = tool({
      inputSchema: anything,
      execute: async (): Promise<string> => {
        await late.opened
        throw new Error('late')
      },
    })
    const { agent } = setUp({ model: scriptedModel([{ tools: [{ name: 'heeds' }, { name: 'fails' }] }]), tools: { heeds, fails } })
    agent.send('go')
    await settle()
    agent.cancel()
    await agent.whenIdle()
    await settle()
    expect(agent.droppedLateResults).toBe(0)
    late.open()
    await settle()
    expect(agent.droppedLateResults).toBe(1)
  })

  it('G13: a tool that yields results is ended at its next one', async () => {
    const next = gate()
    let ended = false
    const yields = tool({
      inputSchema: anything,
      async *execute() {
        try {
          yield 1
          await next.opened
          yield 2
          yield 3
        } finally {
          ended = true
        }
      },
    })
    const { agent } = setUp({ model: scriptedModel([{ tools: [{ name: 'yields' }] }]), tools: { yields } })
    agent.send('go')
    await settle()
    agent.cancel()
    await agent.whenIdle()
    expect([ended, lines(agent.session).at(-2)]).toEqual([false, 'result yields error "Cancelled before it answered."'])
    next.open()
    await settle()
    expect([ended, agent.droppedLateResults]).toEqual([true, 1])
  })

  it('G13: a model that ignores its signal before it answers does not hold the turn; its late answer is counted', async () => {
    const clock = new SimulatedClock()
    const model = scriptedModel([{ delayMs: 100, text: 'late', tools: [{ name: 'never' }], deaf: true }], { clock })
    let ran = 0
    const { agent } = setUp({ model, tools: { never: tool({ inputSchema: anything, execute: async () => ++ran }) } })
    agent.send('go')
    await settle()
    agent.cancel('no longer needed')
    await agent.whenIdle()
    expect([lines(agent.session), agent.droppedLateResults]).toEqual([['turn 1', 'user "go"', cancelled], 0])
    clock.increment(100)
    await settle()
    expect([lines(agent.session).length, agent.droppedLateResults, ran]).toEqual([3, 1, 0])
  })

  it('G13: a model stream that ignores its signal does not hold the turn; text so far is kept, the rest is dropped and counted once', async () => {
    const clock = new SimulatedClock()
    const model = scriptedModel([{ chunkDelayMs: 10, text: ['kept', ' late', ' later'], tools: [{ name: 'never' }], deaf: true }], {
      clock,
    })
    let ran = 0
    const { agent, updates } = setUp({ model, tools: { never: tool({ inputSchema: anything, execute: async () => ++ran }) } })
    agent.send('go')
    await settle()
    clock.increment(10)
    await settle()
    agent.cancel('no longer needed')
    await agent.whenIdle()
    const log = ['turn 1', 'user "go"', 'assistant "kept"', cancelled]
    expect([lines(agent.session), agent.droppedLateResults]).toEqual([log, 0])
    for (let round = 0; round < 3; round++) {
      clock.increment(10)
      await settle()
    }
    expect([lines(agent.session), agent.droppedLateResults, ran]).toEqual([log, 1, 0])
    expect(updates).toEqual([{ type: 'text', text: 'kept', messageId: '1.1' }])
  })
})
