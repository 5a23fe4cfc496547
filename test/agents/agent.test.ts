import { jsonSchema, tool } from 'ai'
import { createActor, createMachine, fromCallback } from 'xstate'
import { describe, expect, it } from 'vitest'
import { scriptedModel } from '../../src/testing/scripted-model.ts'
import { ask, gate, lines, settle, setUp } from './harness.ts'

describe('sending', () => {
  it('G3: send queues and returns before the status flips; all that is queued goes into one turn', async () => {
    const model = scriptedModel(['done'])
    const { agent } = setUp({ model })
    agent.send('first')
    agent.send([{ type: 'text', text: 'second' }], { source: 'parent' })
    expect([agent.status, agent.session.events.length]).toEqual(['idle', 0])
    const idle = agent.whenIdle()
    await Promise.resolve()
    expect(agent.status).toBe('running')
    await idle
    expect(agent.status).toBe('idle')
    expect(lines(agent.session)).toEqual(['turn 1', 'user "first"', 'user "second" (parent)', 'assistant "done"', 'end 1 completed'])
    expect(model.calls.length).toBe(1)
  })

  it('G3: what is sent while a turn runs waits for the next one, which follows without a rest', async () => {
    const { opened, open } = gate()
    const model = scriptedModel([async () => opened.then(() => 'one'), 'two'])
    const { agent } = setUp({ model })
    const states: unknown[] = []
    agent.ref.subscribe((snapshot) => states.push((snapshot as { value: unknown }).value))
    agent.send('a')
    await settle()
    agent.send('b')
    agent.send('c')
    open()
    await agent.whenIdle()
    expect(lines(agent.session)).toEqual([
      'turn 1',
      'user "a"',
      'assistant "one"',
      'end 1 completed',
      'turn 2',
      'user "b"',
      'user "c"',
      'assistant "two"',
      'end 2 completed',
    ])
    expect(states).toEqual(['running', 'idle'])
  })

  it('G3: a disposed agent throws on send, steer and inject, and ignores a cancel', async () => {
    const { agent, dispose } = setUp({ model: scriptedModel([]) })
    const disposed = dispose()
    for (const call of [() => agent.send('x'), () => agent.steer('x'), () => agent.inject('x', { source: 's' })])
      expect(call).toThrow(
        expect.objectContaining({
          code: 'INVALID_REQUEST',
          message: expect.stringMatching(/^Agent agent is disposed, so (send|steer|inject)\(\) cannot reach it\. Create a new agent\.$/),
        }),
      )
    agent.cancel()
    await disposed
    expect(agent.session.events).toEqual([])
  })

  it('content that is none is refused, naming the block, and leaves nothing', () => {
    const { agent } = setUp({ model: scriptedModel([]) })
    expect(() => agent.send('')).toThrow(/^content must be a non-empty string/)
    expect(() => agent.steer([{ type: 'video' } as never])).toThrow(/^content\[0\] must be a content block/)
    expect(() => agent.inject('x', { source: '' })).toThrow(/^source must be a non-empty string/)
    expect(agent.session.events).toEqual([])
  })

  it('G7: content is copied in: what the sender changes afterwards changes nothing', async () => {
    const { agent } = setUp({ model: scriptedModel(['ok']) })
    const block = { type: 'text' as const, text: 'before' }
    agent.send([block])
    block.text = 'after'
    await agent.whenIdle()
    expect(lines(agent.session)[1]).toBe('user "before"')
    expect(Object.isFrozen(block)).toBe(false)
  })
})

describe('steering and injecting', () => {
  const worker = (onCall: () => unknown) => ({ work: tool({ inputSchema: jsonSchema({ type: 'object' }), execute: async () => onCall() }) })

  it('G4: a steer goes in between the steps of the running turn, in order with what is injected', async () => {
    const model = scriptedModel([{ text: 'working', tools: [{ name: 'work' }] }, 'done'])
    const { agent } = setUp({
      model,
      tools: worker(() => {
        agent.steer('hurry', { source: 'parent' })
        agent.inject('it rains', { source: 'weather' })
        agent.steer('please')
        return 'worked'
      }),
    })
    expect(await ask(agent, 'go')).toEqual([
      'turn 1',
      'user "go"',
      'assistant "working"',
      'call work {}',
      'result work ok "worked"',
      'user "hurry" (parent)',
      'context "it rains" (weather)',
      'user "please"',
      'assistant "done"',
      'end 1 completed',
    ])
    expect(model.calls[1]!.prompt.slice(-3)).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'hurry' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Context from weather:' },
          { type: 'text', text: 'it rains' },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'please' }] },
    ])
  })

  it('G4: a steer during the last step makes another one in the same turn', async () => {
    const model = scriptedModel([
      () => {
        agent.steer('one more thing')
        return 'first'
      },
      'second',
    ])
    const { agent } = setUp({ model })
    expect(await ask(agent, 'go')).toEqual([
      'turn 1',
      'user "go"',
      'assistant "first"',
      'user "one more thing"',
      'assistant "second"',
      'end 1 completed',
    ])
  })

  it('G4: when idle a steer is a send', async () => {
    const { agent } = setUp({ model: scriptedModel(['ok']) })
    agent.steer('go', { source: 's' })
    await agent.whenIdle()
    expect(lines(agent.session)).toEqual(['turn 1', 'user "go" (s)', 'assistant "ok"', 'end 1 completed'])
  })

  it('G4: inject when idle is a turn of its own that asks no model; the next turn sees it', async () => {
    const model = scriptedModel(['ok'])
    const { agent } = setUp({ model })
    agent.inject('fact', { source: 'memory' })
    expect([lines(agent.session), agent.status, model.calls.length]).toEqual([
      ['turn 1', 'context "fact" (memory)', 'end 1 completed'],
      'idle',
      0,
    ])
    await ask(agent, 'go')
    expect(model.calls[0]!.prompt.map(({ content }) => JSON.stringify(content))).toEqual([
      '[{"type":"text","text":"Context from memory:"},{"type":"text","text":"fact"}]',
      '[{"type":"text","text":"go"}]',
    ])
  })

  it('G4: inject while the last step runs goes into the open turn and asks for no further step', async () => {
    const model = scriptedModel([
      () => {
        agent.inject('late fact', { source: 'memory' })
        return 'ok'
      },
    ])
    const { agent } = setUp({ model })
    expect(await ask(agent, 'go')).toEqual(['turn 1', 'user "go"', 'assistant "ok"', 'context "late fact" (memory)', 'end 1 completed'])
  })

  it('G4: a steer that the step ceiling leaves no step for begins the next turn', async () => {
    const model = scriptedModel([
      () => {
        agent.steer('more')
        return 'one'
      },
      'two',
    ])
    const { agent } = setUp({ model, maxSteps: 1 })
    expect(await ask(agent, 'go')).toEqual([
      'turn 1',
      'user "go"',
      'assistant "one"',
      'end 1 completed',
      'turn 2',
      'user "more"',
      'assistant "two"',
      'end 2 completed',
    ])
  })
})

describe('waiting', () => {
  it('G6: whenIdle resolves at once only if nothing runs and nothing is queued', async () => {
    const { agent } = setUp({ model: scriptedModel(['ok']) })
    await agent.whenIdle()
    agent.send('go')
    let over = false
    const idle = agent.whenIdle().then(() => (over = true))
    await Promise.resolve()
    expect([over, agent.status]).toEqual([false, 'running'])
    await idle
    expect(agent.status).toBe('idle')
  })

  it('G6: all that wait hear of the same end; it comes after the turns that were queued behind', async () => {
    const { agent } = setUp({ model: scriptedModel(['one', 'two']) })
    agent.send('a')
    await Promise.resolve()
    agent.send('b')
    await Promise.all([agent.whenIdle(), agent.whenIdle()])
    expect(lines(agent.session).filter((line) => line.startsWith('end'))).toEqual(['end 1 completed', 'end 2 completed'])
  })

  it('G6: on an agent disposed in mid-turn it resolves when the turn has ended', async () => {
    const { agent, dispose } = setUp({ model: scriptedModel([{ hang: true, deaf: true }]) })
    agent.send('go')
    await settle()
    const before = agent.whenIdle()
    void dispose()
    expect(agent.status).toBe('disposed')
    await Promise.all([before, agent.whenIdle()])
    expect(lines(agent.session)).toEqual(['turn 1', 'user "go"', 'end 1 disposed'])
    await agent.whenIdle()
  })
})

describe('disposal', () => {
  it('G1: dispose is memoised, unregisters the agent when all is quiet, and the id is free again', async () => {
    const { agents, agent, dispose } = setUp({ model: scriptedModel([]) })
    const [first, second] = [dispose(), dispose()]
    expect(first).toBe(second)
    await first
    expect([agents.get('agent'), agents.list(), agent.status]).toEqual([undefined, [], 'disposed'])
    expect(agents.create({ id: 'agent' }).agent).not.toBe(agent)
  })

  it('a turn that was about to begin leaves a disposed turn without its messages', async () => {
    const model = scriptedModel(['never'])
    const { agent, dispose } = setUp({ model })
    agent.send('go')
    const idle = agent.whenIdle()
    await Promise.all([dispose(), idle])
    expect([lines(agent.session), model.calls.length]).toEqual([['turn 1', 'end 1 disposed'], 0])
  })

  it('dispose waits for a tool that still runs', async () => {
    const { opened, open } = gate<string>()
    const { agent, agents, dispose } = setUp({
      model: scriptedModel([{ tools: [{ name: 'slow' }] }]),
      tools: { slow: tool({ inputSchema: jsonSchema({ type: 'object' }), execute: () => opened }) },
    })
    agent.send('go')
    await settle()
    let over = false
    const disposed = dispose().then(() => (over = true))
    await agent.whenIdle()
    await settle()
    expect([over, agents.get('agent')]).toEqual([false, agent])
    open('late')
    await disposed
    expect([agents.get('agent'), agent.droppedLateResults]).toEqual([undefined, 1])
    expect(lines(agent.session).slice(-2)).toEqual(['result slow error "Cancelled before it answered."', 'end 1 disposed'])
  })

  it('G2: the actor is a child of the given one, and an agent whose actor is stopped from outside is disposed', async () => {
    let stopped!: () => void
    const child = fromCallback(() => () => stopped())
    const parent = createActor(
      createMachine({ initial: 'on', states: { on: { invoke: { src: child } }, off: {} }, on: { leave: '.off' } }),
    ).start()
    const { agents, agent } = setUp({ model: scriptedModel([{ hang: true }]) }, { parentActor: parent })
    // What a run does with the actors that were made under it.
    stopped = () => (agent.ref as unknown as { _stop(): void })._stop()
    expect([agent.ref.id, (agent.ref as unknown as { _parent: unknown })._parent === parent, agent.ref.src]).toEqual([
      'agent',
      true,
      'agent',
    ])
    agent.send('go')
    await settle()
    expect(agent.status).toBe('running')
    parent.send({ type: 'leave' })
    expect(agent.status).toBe('disposed')
    await agent.whenIdle()
    await settle()
    expect([lines(agent.session), agents.list()]).toEqual([['turn 1', 'user "go"', 'end 1 disposed'], []])
  })

  it('G2: status mirrors the actor, which knows agent and session', async () => {
    const { agent, dispose } = setUp({ model: scriptedModel(['ok']) })
    const state = () => [agent.status, (agent.ref.getSnapshot() as { value: unknown }).value]
    expect(agent.ref.getSnapshot()).toMatchObject({ context: { agentId: 'agent', sessionId: 'session' } })
    const seen = [state()]
    agent.send('go')
    await Promise.resolve()
    seen.push(state())
    await agent.whenIdle()
    seen.push(state())
    await dispose()
    seen.push(state())
    expect(seen).toEqual([
      ['idle', 'idle'],
      ['running', 'running'],
      ['idle', 'idle'],
      ['disposed', 'disposed'],
    ])
  })
})
