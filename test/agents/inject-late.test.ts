import { expect, it } from 'vitest'
import { createAgents } from '../../src/agents/index.ts'
import { scriptedModel } from '../../src/testing/scripted-model.ts'

it.each([0, 1, 2, 3])(
  'G4: context that comes %i microtasks after the end of a turn was logged is a turn of its own, without the model',
  async (later) => {
    const model = scriptedModel(() => 'answer')
    let injected = false
    /** Asked for the time of each event, just before it is logged. */
    const now = () => {
      void (async () => {
        await Promise.resolve()
        if (injected || agent.session.events.at(-1)?.type !== 'turn/end') return
        injected = true
        for (let turn = 0; turn < later; turn++) await Promise.resolve()
        agent.inject('late', { source: 'subagent' })
      })()
      return 0
    }
    const clock = { now, setTimeout: () => 0, clearTimeout: () => {} }
    const { agent, dispose } = createAgents({ model, clock }).create()
    agent.send('go')
    await agent.whenIdle()
    await new Promise<void>((resolve) => setImmediate(resolve))
    await agent.whenIdle()
    expect(agent.session.events.map(({ type }) => type)).toEqual([
      'turn/start',
      'user/message',
      'assistant/message',
      'turn/end',
      'turn/start',
      'context/message',
      'turn/end',
    ])
    expect(model.calls.length).toBe(1)
    await dispose()
  },
)
