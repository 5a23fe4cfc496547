/**
 * Actors made with a run as their parent are stopped when the run is disposed (S25). XState tells a parent nothing of an
 * actor made with `createActor(…, { parent })`; only the inspection of its system sees it start.
 */
import type { ActorSystem, AnyActorScope, AnyActorRef, InspectionEvent } from 'xstate'
import { contain } from './contain.ts'
import type { RunRecord } from './record.ts'

/** Notes, from now on, which actors start under runs in `records`. */
export function noteChildActors(system: ActorSystem<any>, records: ReadonlyMap<string, RunRecord>): void {
  system.inspect((event: InspectionEvent) => {
    if (event.type !== '@xstate.event' || event.event.type !== 'xstate.init' || !event.sourceRef) return
    const parent = event.sourceRef as AnyActorRef
    const record = records.get(parent.id)
    if (record?.ref === parent) (record.childActors ??= new Set()).add(event.actorRef as AnyActorRef)
  })
}

export function stopChildActors(record: RunRecord, scope: AnyActorScope): void {
  const actors = record.childActors
  if (!actors) return
  record.childActors = undefined
  for (const actor of actors) contain(record.host.logger, `Stopping actor ${actor.id} of run ${record.runId}`, () => scope.stopChild(actor))
}
