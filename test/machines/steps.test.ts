import { createActor, initialTransition, transition } from 'xstate'
import { describe, expect, it } from 'vitest'
import { acpProcessLogic } from '../../src/machines/acp-process.ts'
import { agentLogic } from '../../src/machines/agent.ts'
import { runEffectNames, runMachine } from '../../src/machines/run.ts'
import type { RunEvent, RunSnapshot } from '../../src/machines/run.ts'
import { runDecisions } from '../../src/machines/run-decisions.ts'
import { rememberMachine, rememberSteps } from '../../src/machines/steps.ts'
import { runPaths } from '../../src/testing/index.ts'

const payload: Partial<Record<RunEvent['type'], object>> = {
  settle: { stopReason: 'error', failure: { code: 'MODEL_ERROR', phase: 'running', retryable: true, message: 'overloaded' } },
  ask: { request: { id: 'q', title: 'May I?', options: [] } },
  cancel: { reason: 'enough' },
}
const everyEvent: RunEvent['type'][] = [
  'accept',
  'wait',
  'slot',
  'reject',
  'abort-before-start',
  'start-failed',
  'ready',
  'settle',
  'cancel',
  'deadline',
  'give-up',
  'ask',
  'answer',
  'dispose',
  'released',
  'release-failed',
]
const runInput = { runId: 'run', provider: 'scripted', cancelGraceMs: 500, releaseGraceMs: 900, timeoutMs: 10_000 }
const eventOf = (type: RunEvent['type']): RunEvent => ({ type, ...payload[type] }) as RunEvent

/** The remembered steps, as pure as XState's `transition`: the snapshot after the event and the effects it asked for. */
function remembered(): (snapshot: RunSnapshot, event: RunEvent) => [RunSnapshot, unknown[]] {
  const step = rememberSteps(runMachine, runDecisions)
  return (snapshot, event) => {
    const effects: unknown[] = []
    const scope = {
      self: {},
      system: { _sendInspectionEvent: () => {} },
      defer: () => {},
      stopChild: () => {},
      actionExecutor: ({ type, params }: { type: string; params: unknown }) => void effects.push({ type, params }),
    }
    return [step(snapshot, event, scope as never) as RunSnapshot, effects]
  }
}

const read = ({ value, context, status }: RunSnapshot): unknown => JSON.parse(JSON.stringify({ value, context, status }))
const pure = (snapshot: RunSnapshot, event: RunEvent): [RunSnapshot, unknown[]] => {
  const [next, actions] = transition(runMachine as never, snapshot as never, event as never)
  return [next as unknown as RunSnapshot, (actions as { type: string; params: unknown }[]).map(({ type, params }) => ({ type, params }))]
}

describe('remembered steps', () => {
  const paths = runPaths({ kind: 'simple' })
  const step = remembered()

  it.each(['learning', 'replaying'])('R2: give the same states, contexts and effects as XState on every path (%s)', () => {
    for (const { steps, description } of paths) {
      let [mine] = initialTransition(runMachine as never, runInput as never) as unknown as [RunSnapshot]
      let theirs = mine
      for (const { event } of steps) {
        const [nextMine, effects] = step(mine, eventOf(event.type))
        const [nextTheirs, actions] = pure(theirs, eventOf(event.type))
        expect(read(nextMine), description).toEqual(read(nextTheirs))
        expect(effects, description).toEqual(actions)
        expect(nextMine.matches(nextMine.value)).toBe(true)
        // Nor do they differ in what they do not take.
        for (const other of everyEvent)
          expect(nextMine.can(eventOf(other)), `${description}, then ${other}`).toBe(nextTheirs.can(eventOf(other)))
        ;[mine, theirs] = [nextMine, nextTheirs]
      }
    }
  })

  it('R5, S25: ask the machine about no type that varies, whoever sends it, since it would remember each', () => {
    const asked = new Set<string>()
    const spied = Object.create(runMachine, {
      transition: {
        value: (...args: Parameters<typeof runMachine.transition>) => (asked.add(args[1].type), runMachine.transition(...args)),
      },
    }) as typeof runMachine
    const spiedStep = rememberSteps(spied, runDecisions)
    const scope = { self: {}, system: { _sendInspectionEvent: () => {} }, defer: () => {}, stopChild: () => {}, actionExecutor: () => {} }
    const [snapshot] = initialTransition(runMachine as never, runInput as never) as unknown as [RunSnapshot]
    for (let child = 0; child < 20; child++)
      for (const type of ['xstate.done.actor.', 'xstate.error.actor.', 'xstate.snapshot.', 'mine-']) {
        const next = spiedStep(snapshot, { type: `${type}${child}`, error: new Error('broke') } as never, scope as never)
        expect(read(next as RunSnapshot)).toEqual(read(snapshot))
      }
    expect([...asked]).toEqual(['xstate.error.actor.child'])
  })

  it.each([
    ['run', runMachine, runInput],
    ['agent', agentLogic, { agentId: 'a', sessionId: 's' }],
    ['process', acpProcessLogic, { command: 'agent' }],
  ] as const)('S25: an event without a type, or with one that is no text, moves nothing: %s', (_, machine, input) => {
    const logic = machine === runMachine ? rememberMachine(runMachine, runDecisions) : machine
    const actor = createActor(logic as never, { input: input as never }).start()
    actor.subscribe({ error: () => {} })
    const before: unknown = actor.getSnapshot()
    for (const event of [{}, { type: undefined }, { type: 5 }, { type: {} }]) actor.send(event as never)
    expect(actor.getSnapshot()).toBe(before)
    actor.stop()
  })

  it('R4: keep the very snapshot where an event moves nothing', () => {
    let [snapshot] = initialTransition(runMachine as never, runInput as never) as unknown as [RunSnapshot]
    for (const type of ['accept', 'ready', 'settle'] as const) snapshot = step(snapshot, eventOf(type))[0]
    for (const type of ['settle', 'reject', 'cancel', 'deadline', 'ready', 'ask'] as const) {
      expect(step(snapshot, eventOf(type))[0]).toBe(snapshot)
      expect(step(snapshot, eventOf(type))[1]).toEqual([])
    }
  })

  it('R2: ask for nothing that is not in the closed list, with JSON parameters', () => {
    for (const { steps } of paths) {
      let [snapshot] = initialTransition(runMachine as never, runInput as never) as unknown as [RunSnapshot]
      for (const { event } of steps) {
        const [next, actions] = pure(snapshot, eventOf(event.type))
        for (const action of actions as { type: string; params?: unknown }[]) {
          expect(runEffectNames).toContain(action.type)
          if (action.params !== undefined) expect(JSON.parse(JSON.stringify(action.params))).toEqual(action.params)
        }
        snapshot = next
      }
    }
  })
})
