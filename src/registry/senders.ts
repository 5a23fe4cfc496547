/**
 * Who sent an event: XState tells it to inspection only. Needed so that a provider registered by an actor goes with that actor (S4).
 */
import type { AnyActorRef, AnyActorScope, InspectionEvent } from 'xstate'
import type { ProviderDisposer } from './providers.ts'

export class Senders {
  readonly #byEvent = new WeakMap<object, AnyActorRef>()
  readonly #scope: AnyActorScope
  #watching = false

  constructor(scope: AnyActorScope) {
    this.#scope = scope
    // Inspection costs every actor of a system. At the root of one there is nobody to send a provider, until a run has actors below it.
    if (scope.self._parent) this.watch()
  }

  watch(): void {
    if (this.#watching) return
    this.#watching = true
    const { self, system } = this.#scope
    system.inspect((inspected: InspectionEvent) => {
      if (inspected.type !== '@xstate.event' || inspected.event.type !== 'provider.register' || inspected.actorRef !== self) return
      // One event may be sent again, by somebody else or by nobody.
      if (inspected.sourceRef) this.#byEvent.set(inspected.event, inspected.sourceRef as AnyActorRef)
      else this.#byEvent.delete(inspected.event)
    })
  }

  undoWithSender(event: object, undo: ProviderDisposer): void {
    this.#byEvent.get(event)?.subscribe({ complete: () => undo(), error: () => undo() })
  }
}
