import { createTestModel } from '@xstate/graph'
import { createActor } from 'xstate'
import { describe, expect, it } from 'vitest'
import { acpProcessMachine } from '../../src/machines/acp-process.ts'
import type { AcpProcessEvent, AcpProcessLogic, AcpProcessStateValue } from '../../src/machines/acp-process.ts'

const input = { runId: 'run-1', command: 'agent' }
const logic = acpProcessMachine as unknown as AcpProcessLogic
const events: readonly AcpProcessEvent[] = [
  { type: 'spawned', pid: 7 },
  { type: 'initialized', agent: 'agent 1' },
  { type: 'opened', sessionId: 's' },
  { type: 'prompt' },
  { type: 'answered' },
  { type: 'exited', code: 3 },
  { type: 'fail', code: 'PROTOCOL' },
  { type: 'close' },
  { type: 'hand-over' },
  { type: 'closed' },
]
const out = { exited: 'closing', fail: 'closing', close: 'closing' } as const

/** Every edge there is. What is not listed moves nothing. */
const edges: Readonly<Record<AcpProcessStateValue, { readonly [type: string]: AcpProcessStateValue }>> = {
  spawning: { spawned: 'initializing', ...out },
  initializing: { initialized: 'opening', ...out },
  opening: { opened: 'ready', 'hand-over': 'closed', ...out },
  ready: { prompt: 'prompting', 'hand-over': 'closed', ...out },
  prompting: { answered: 'ready', ...out },
  closing: { closed: 'closed' },
  closed: {},
}
/** The shortest way into each state. */
const ways: Readonly<Record<AcpProcessStateValue, readonly AcpProcessEvent['type'][]>> = {
  spawning: [],
  initializing: ['spawned'],
  opening: ['spawned', 'initialized'],
  ready: ['spawned', 'initialized', 'opened'],
  prompting: ['spawned', 'initialized', 'opened', 'prompt'],
  closing: ['close'],
  closed: ['close', 'closed'],
}
const eventOf = (type: string): AcpProcessEvent => events.find((event) => event.type === type)!

describe('the machine of an ACP process', () => {
  it('A2: has these edges and no others, each failure its own', () => {
    for (const [state, way] of Object.entries(ways)) {
      for (const event of events) {
        const actor = createActor(logic, { input }).start()
        for (const type of way) actor.send(eventOf(type))
        expect(actor.getSnapshot().value).toBe(state)
        if (actor.getSnapshot().status !== 'active') continue
        actor.send(event)
        expect(actor.getSnapshot().value, `${state} ${event.type}`).toBe(edges[state as AcpProcessStateValue][event.type] ?? state)
      }
    }
  })

  it('A2: notes who it is, and in which stage it ended and why; a close that was asked for is no end of that kind', () => {
    const actor = createActor(logic, { input }).start()
    for (const type of ['spawned', 'initialized', 'opened', 'prompt', 'exited', 'fail', 'closed']) actor.send(eventOf(type))
    expect(actor.getSnapshot()).toMatchObject({
      status: 'done',
      value: 'closed',
      context: { runId: 'run-1', command: 'agent', pid: 7, agent: 'agent 1', sessionId: 's', end: { stage: 'prompting', exitCode: 3 } },
    })
    const closed = createActor(logic, { input }).start()
    closed.send({ type: 'close' })
    expect(closed.getSnapshot().context).toEqual(input)
  })

  it('A2, R3: is explored by @xstate/graph as it stands, whose paths reach every state', () => {
    const paths = createTestModel(acpProcessMachine as never, { events } as never).getShortestPaths({ input } as never)
    const states = paths.flatMap(({ state, steps }) => [...steps.map((step) => step.state), state])
    const reached = new Set(states.map((state) => (state as { value: string }).value))
    expect([...reached].toSorted()).toEqual(Object.keys(edges).toSorted())
    for (const state of states) {
      const { context } = state as { context: unknown }
      expect(JSON.parse(JSON.stringify(context))).toEqual(context)
    }
  })
})
