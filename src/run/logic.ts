/**
 * The run machine with its effects: an actor logic that performs, after each committed macrostep, what the edges asked for (R2).
 *
 * The machine's actions only note an effect; `defer` runs after the new snapshot is in place, so that a listener reads the
 * state that its event announces. Made once a registry: `provide` parses the whole machine again.
 */
import type { AnyActorScope, EventObject } from 'xstate'
import { runEffectNames, runMachine } from '../machines/run.ts'
import type { RunEffectName, RunLogic } from '../machines/run.ts'
import { runDecisions } from '../machines/run-decisions.ts'
import { rememberMachine } from '../machines/steps.ts'
import { effects } from './effects.ts'
import type { RunRecord } from './record.ts'
import { stopChildActors } from './child-actors.ts'

/** What one macrostep asks for, in its order: a chain, since it is one or two effects and an array makes room for sixteen. */
interface Noted {
  readonly name: RunEffectName
  readonly params: any
  next: Noted | undefined
}

export function createRunLogic(records: ReadonlyMap<string, RunRecord>): RunLogic {
  let noted: Noted | undefined
  let last: Noted | undefined
  const note =
    (name: RunEffectName) =>
    (_: unknown, params: unknown): void => {
      const effect: Noted = { name, params, next: undefined }
      if (last) last.next = effect
      else noted = effect
      last = effect
    }
  const actions = Object.fromEntries(runEffectNames.map((name) => [name, note(name)]))
  const machine = runMachine.provide({ actions: actions as never })

  const recordOf = (scope: AnyActorScope): RunRecord | undefined => {
    const record = records.get(scope.id)
    return record?.ref === scope.self ? record : undefined
  }

  const perform = (batch: Noted, record: RunRecord, scope: AnyActorScope): void => {
    for (let each: Noted | undefined = batch; each; each = each.next) {
      const { name, params } = each
      const effect = effects[name] as (record: RunRecord, params: unknown) => boolean | void
      if (effect(record, params) === false) break
      if (name === 'forget') stopChildActors(record, scope)
    }
  }

  const logic = rememberMachine(machine, runDecisions)
  const { transition } = logic
  logic.transition = (snapshot, event: EventObject, scope: AnyActorScope) => {
    // An observer that inspects may start another run in the middle of this transition.
    const [outer, outerLast] = [noted, last]
    noted = last = undefined
    const next = transition(snapshot, event, scope)
    const batch: Noted | undefined = noted
    noted = outer
    last = outerLast
    const record = recordOf(scope)
    if (batch) {
      // Without a live record the effects do nothing (R3).
      if (record) scope.defer(() => perform(batch, record, scope))
    } else if (record) {
      if (event.type === 'xstate.stop') stopChildActors(record, scope)
      else if (next === snapshot) record.ignored(event)
    }
    return next
  }
  return logic
}
