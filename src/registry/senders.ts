/**
 * Who sent an event: XState tells it to inspection only. Needed so that a provider registered by an actor goes with that actor (S4).
 */
import type { AnyActorRef, AnyActorScope, InspectionEvent } from 'xstate'
import type { ProviderDisposer } from './providers.ts'

export class Senders {
  readonly #byEvent = new WeakMap<object, AnyActorRef>()

  constructor(scope: AnyActorScope) {
    // A registry at the root of its system has nobody above it that could send it a provider.
    if (!scope.self._parent) return
    scope.system.inspect((inspected: InspectionEvent) => {
      if (inspected.type !== '@xstate.event' || inspected.event.type !== 'provider.register') return
      if (inspected.actorRef === scope.self && inspected.sourceRef) this.#byEvent.set(inspected.event, inspected.sourceRef as AnyActorRef)
    })
  }

  undoWithSender(event: object, undo: ProviderDisposer): void {
    this.#byEvent.get(event)?.subscribe({ complete: () => undo(), error: () => undo() })
  }
}
