import type { AnyActorRef, InspectionEvent } from 'xstate'
import type { RunSnapshot } from '../index.ts'

/** An inspector of a service that hears of every state its runs come into, and of no other actor. */
export function watchRuns(hear: (snapshot: RunSnapshot) => void): (event: InspectionEvent) => void {
  return (event) => {
    if (event.type === '@xstate.snapshot' && (event.actorRef as AnyActorRef).src === 'run') hear(event.snapshot as RunSnapshot)
  }
}
