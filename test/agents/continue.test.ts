import { jsonSchema, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { createAgents } from '../../src/agents/index.ts'
import { depthOf } from '../../src/parent.ts'
import { scriptedModel } from '../../src/testing/scripted-model.ts'
import { ask, gate, lines, settle, setUp } from './harness.ts'

const anything = jsonSchema({ type: 'object' })
const invalidRequest = (message: RegExp) => expect.objectContaining({ code: 'INVALID_REQUEST', message: expect.stringMatching(message) })

describe('an agent that continues another', () => {
  it('P12: has the session of the earlier one, as it is, an id of its own, and answers knowing what was said', async () => {
    const model = scriptedModel(['one', 'two'])
    const { agents, agent } = setUp({ model }, { cwd: '/work', parentSession: 'parent', delegationDepth: 2 })
    await ask(agent, 'first')
    const { header } = agent.session
    const next = agents.create({ continues: agent })
    expect([next.agent.id === agent.id, next.agent.session.header === header, next.agent.session.events.length]).toEqual([false, true, 4])
    expect([agent.status, next.agent.status, agents.list().map(({ id }) => id)]).toEqual(['disposed', 'idle', [next.agent.id]])
    expect(() => agent.send('more')).toThrow(/is disposed/)
    expect(await ask(next.agent, 'second')).toEqual([
      'turn 1',
      'user "first"',
      'assistant "one"',
      'end 1 completed',
      'turn 2',
      'user "second"',
      'assistant "two"',
      'end 2 completed',
    ])
    expect(next.agent.session.events.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    expect(model.calls[1]!.prompt.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  })

  it('P13: the later dispose of the earlier one resolves and touches nothing of the new one', async () => {
    const { agents, agent, dispose } = setUp({ model: scriptedModel(['one', 'two']) })
    await ask(agent, 'first')
    const next = agents.create({ continues: agent })
    await dispose()
    expect((await ask(next.agent, 'second')).at(-1)).toBe('end 2 completed')
    await next.dispose()
    expect(agents.list()).toEqual([])
  })

  it('P12: goes on with a disposed agent as well, one after another', async () => {
    const { agents, agent, dispose } = setUp({ model: scriptedModel(['one', 'two', 'three']) })
    await ask(agent, 'first')
    await dispose()
    const second = agents.create({ continues: agent })
    await ask(second.agent, 'second')
    await second.dispose()
    const third = agents.create({ continues: second.agent })
    expect((await ask(third.agent, 'third')).filter((line) => line.startsWith('assistant'))).toEqual([
      'assistant "one"',
      'assistant "two"',
      'assistant "three"',
    ])
  })

  it('P12: keeps the reasoning that the log does not hold, for the same model, and asks another one without it', async () => {
    const first = scriptedModel([{ reasoning: 'hm', text: 'one' }, 'two'])
    const second = scriptedModel(['three'], { modelId: 'another' })
    const { agents, agent } = setUp({ model: first })
    await ask(agent, 'go')
    const next = agents.create({ continues: agent })
    await ask(next.agent, 'go on')
    const other = agents.create({ continues: next.agent, options: { model: second } })
    await ask(other.agent, 'and on')
    const kinds = (call: { prompt: readonly { content: unknown }[] }) =>
      call.prompt.map(({ content }) => (content as { type: string }[]).map(({ type }) => type).join())
    expect([kinds(first.calls[1]!), kinds(second.calls[0]!)]).toEqual([
      ['text', 'reasoning,text', 'text'],
      ['text', 'text', 'text', 'text', 'text'],
    ])
  })

  it('G13: a tool of the earlier one that ignores its signal writes nothing and holds nobody', async () => {
    const door = gate<string>()
    let ended = false
    const { agents, agent, dispose } = setUp({
      model: scriptedModel([{ tools: [{ name: 'deaf' }] }, 'fine']),
      tools: {
        deaf: tool({
          inputSchema: anything,
          execute: async (_, options) => {
            const answer = await door.opened
            expect(() => (options as never as { agent: typeof agent }).agent.inject('late', { source: 'deaf' })).toThrow(/is disposed/)
            ended = true
            return answer
          },
        }),
      },
    })
    agent.send('go')
    await settle()
    agent.cancel()
    await agent.whenIdle()
    const next = agents.create({ continues: agent })
    const before = await ask(next.agent, 'again')
    await next.dispose()
    const disposed = dispose()
    door.open('too late')
    await disposed
    expect([ended, agent.droppedLateResults, next.agent.droppedLateResults, lines(next.agent.session)]).toEqual([true, 1, 0, before])
  })

  it('P1: its own options may deepen the session and never lower it', () => {
    const { agents, agent } = setUp({ model: scriptedModel([]) }, { delegationDepth: 2 })
    const deeper = agents.create({ continues: agent, options: { subagentDepth: 4 } })
    const lower = agents.create({ continues: deeper.agent, options: { subagentDepth: 1 } })
    expect([depthOf(deeper.agent), depthOf(lower.agent), lower.agent.session.header.delegationDepth]).toEqual([4, 2, 2])
  })

  it('P8: keeps how much of the log was inherited', () => {
    const { agents, agent } = setUp({ model: scriptedModel([]) }, {})
    agent.inject('fact', { source: 'memory' })
    const seeded = agents.create({ seed: agent.session.events })
    seeded.agent.inject('another', { source: 'memory' })
    const next = agents.create({ continues: seeded.agent })
    expect([next.agent.session.header.seedLength, next.agent.session.events.length]).toEqual([3, 6])
  })

  it('is refused where the session is not there to be continued, and leaves the earlier one as it was', async () => {
    const { agents, agent } = setUp({ model: scriptedModel(['one', 'two']) })
    const stranger = createAgents({ model: scriptedModel([]) }).create().agent
    const create = (options: object) => () => agents.create(options)
    agent.send('go')
    expect(create({ continues: agent })).toThrow(invalidRequest(/has work to do/))
    await agent.whenIdle()
    expect(create({ continues: stranger })).toThrow(invalidRequest(/an agent that this factory made/))
    expect(create({ continues: 'agent' })).toThrow(invalidRequest(/an agent that this factory made/))
    expect(create({ continues: agent, id: 'agent' })).toThrow(invalidRequest(/is alive/))
    expect(create({ continues: agent, toolFilter: { allow: ['none'] } })).toThrow(invalidRequest(/do not exist/))
    for (const [field, value] of Object.entries({ sessionId: 's', seed: [], cwd: '/', parentSession: 'p', delegationDepth: 1 }))
      expect(create({ continues: agent, [field]: value })).toThrow(invalidRequest(new RegExp(`^${field} must be left out`)))
    expect(await ask(agent, 'still here')).toContain('assistant "two"')
    const next = agents.create({ continues: agent, id: 'next' })
    expect(create({ continues: agent })).toThrow(invalidRequest(/continued by agent next already/))
    await next.dispose()
  })
})

it('G1: a session can be read by its id as long as a live agent has it', async () => {
  const { agents, agent } = setUp({ model: scriptedModel([]) })
  expect(agents.readSession('session')).toBe(agent.session)
  expect(() => agents.readSession('other')).toThrow(invalidRequest(/no session "other"/))
  expect(() => agents.resume('session')).toThrow(invalidRequest(/is that of agent agent, which is live/))
})
