/**
 * The run machine with its effects: an actor logic that performs, after each committed macrostep, what the edges asked for (R2).
 *
 * The machine's actions only note an effect; `defer` runs after the new snapshot is in place, so that a listener reads the
 * state that its event announces. Made once a registry: `provide` parses the whole machine again.
 */
import type { AnyActorScope, EventObject } from 'xstate'
import { runDecisions, runEffectNames, runMachine } from '../machines/run.ts'
import type { RunEffectName, RunInput, RunLogic } from '../machines/run.ts'
import { effects } from './effects.ts'
import type { RunRecord } from './record.ts'
import { rememberInitial, rememberSteps } from './steps.ts'
import { stopChildActors } from './child-actors.ts'

interface Noted {
  readonly name: RunEffectName
  readonly params: any
}

export function createRunLogic(records: ReadonlyMap<string, RunRecord>): RunLogic {
  let noted: Noted[] = []
  const note =
    (name: RunEffectName) =>
    (_: unknown, params: unknown): void => {
      noted.push({ name, params })
    }
  const actions = Object.fromEntries(runEffectNames.map((name) => [name, note(name)]))
  const machine = runMachine.provide({ actions: actions as never })
  const initial = rememberInitial(machine)
  const transition = rememberSteps(machine, runDecisions)

  const recordOf = (scope: AnyActorScope): RunRecord | undefined => {
    const record = records.get(scope.id)
    return record?.ref === scope.self ? record : undefined
  }

  const perform = (batch: readonly Noted[], record: RunRecord, scope: AnyActorScope): void => {
    for (const { name, params } of batch) {
      const effect = effects[name] as (record: RunRecord, params: unknown) => boolean | void
      if (effect(record, params) === false) break
      if (name === 'forget') stopChildActors(record, scope)
    }
  }

  // The machine stays what it is, and what inspection reads of it (its config) is inherited.
  const logic = Object.create(machine) as typeof machine
  logic.getInitialSnapshot = (_scope, input) => initial(input as RunInput) as never
  logic.transition = (snapshot, event: EventObject, scope: AnyActorScope) => {
    // An observer that inspects may start another run in the middle of this transition.
    const outer = noted
    noted = []
    const next = transition(snapshot, event, scope)
    const batch = noted
    noted = outer
    const record = recordOf(scope)
    if (batch.length > 0) {
      // Without a live record the effects do nothing (R3).
      if (record) scope.defer(() => perform(batch, record, scope))
    } else if (record) {
      if (event.type === 'xstate.stop') stopChildActors(record, scope)
      else if (next === snapshot) record.ignored(event)
    }
    return next as typeof snapshot
  }
  return logic as unknown as RunLogic
}
