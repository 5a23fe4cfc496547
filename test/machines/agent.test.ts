import { createActor, setup } from 'xstate'
import { createTestModel } from '@xstate/graph'
import { describe, expect, it } from 'vitest'
import { agentLogic, agentMachine } from '../../src/machines/agent.ts'
import type { AgentEvent, AgentStateValue } from '../../src/machines/agent.ts'

const input = { agentId: 'a', sessionId: 's' }
const events: readonly AgentEvent['type'][] = ['begin', 'rest', 'dispose']

/** Every edge there is. What is not listed moves nothing. */
const edges: Readonly<Record<AgentStateValue, Partial<Record<AgentEvent['type'], AgentStateValue>>>> = {
  idle: { begin: 'running', dispose: 'disposed' },
  running: { rest: 'idle', dispose: 'disposed' },
  disposed: {},
}

/** All sequences of events of that length. */
const sequences = (length: number): AgentEvent['type'][][] =>
  length === 0 ? [[]] : sequences(length - 1).flatMap((head) => events.map((type) => [...head, type]))

function follow(logic: typeof agentLogic, types: readonly AgentEvent['type'][]): string[] {
  const actor = createActor(logic, { input }).start()
  return types.map((type) => {
    if (actor.getSnapshot().status === 'active') actor.send({ type })
    const { value, status, context } = actor.getSnapshot()
    return `${value} ${status} ${JSON.stringify(context)}`
  })
}

describe('the agent machine', () => {
  it('G2: goes idle ⇄ running → disposed, on events alone, and any other event moves nothing', () => {
    for (const types of sequences(5)) {
      let value: AgentStateValue = 'idle'
      const expected = types.map(
        (type) => `${(value = edges[value][type] ?? value)} ${value === 'disposed' ? 'done' : 'active'} ${JSON.stringify(input)}`,
      )
      expect(follow(agentLogic, types), types.join(' ')).toEqual(expected)
    }
  })

  it('what an agent runs answers every sequence of events as the machine itself does', () => {
    for (const types of sequences(5)) expect(follow(agentLogic, types)).toEqual(follow(agentMachine as unknown as typeof agentLogic, types))
  })

  it('an event that moves nothing gives back the snapshot it came to', () => {
    const actor = createActor(agentLogic, { input }).start()
    for (let round = 0; round < 2; round++) {
      const before = actor.getSnapshot()
      actor.send({ type: 'rest' })
      expect(actor.getSnapshot()).toBe(before)
    }
  })

  it('G2: is explored by @xstate/graph as it stands, whose paths take every edge', () => {
    const paths = createTestModel(agentMachine as never, { events: events.map((type) => ({ type })) } as never).getShortestPaths({
      input,
    } as never)
    const routes = paths.map((path) =>
      path.steps.map((step) => (step as { event: { type: string } }).event.type).filter((type) => !type.startsWith('xstate.')),
    )
    expect(routes.map((route) => route.join(' ')).sort()).toEqual(['begin dispose', 'begin rest', 'dispose'])
  })

  it('G2: shows its chart to inspection, and its context is JSON in every state', () => {
    expect(Object.keys((agentLogic as unknown as { config: { states: object } }).config.states)).toEqual(['idle', 'running', 'disposed'])
    const actor = createActor(agentLogic, { input }).start()
    for (const type of ['begin', 'rest', 'dispose'] as const) {
      actor.send({ type })
      const persisted = actor.getPersistedSnapshot() as unknown as { context: unknown }
      expect(JSON.parse(JSON.stringify(persisted))).toEqual(persisted)
      expect(persisted.context).toEqual(input)
    }
  })

  it('two actors share no context', () => {
    const first = createActor(agentLogic, { input: { agentId: 'a', sessionId: 's' } }).start()
    const second = createActor(agentLogic, { input: { agentId: 'b', sessionId: 't' } }).start()
    first.send({ type: 'begin' })
    expect([first.getSnapshot().context.agentId, second.getSnapshot().context.agentId]).toEqual(['a', 'b'])
    expect(second.getSnapshot().value).toBe('idle')
  })

  it('a parent hears of its end as of any child, and may ignore it', () => {
    const parent = createActor(setup({}).createMachine({ initial: 'on', states: { on: {} } })).start()
    const child = createActor(agentLogic, { input, parent, id: 'a', src: 'agent' }).start()
    child.send({ type: 'dispose' })
    expect([child.getSnapshot().status, parent.getSnapshot().status]).toEqual(['done', 'active'])
  })
})
