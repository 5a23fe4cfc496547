/**
 * Delegation as part of a statechart of one's own (S24).
 */
import type { ActorLogic, ActorSystem, AnyActorRef, AnyActorScope, EventObject, Snapshot } from 'xstate'
import { SubagentError } from './errors.ts'
import { engineOf } from './registry/engine.ts'
import type { RegistryActorRef } from './registry/engine.ts'
import type { SubagentService } from './service.ts'
import type { StructuredOf, SubagentResult, SubagentRun, SubagentStartRequest } from './types.ts'

/** `output` is the result once the run has settled; `runId` is there from its start on. */
export type SubagentSnapshot<T = unknown> = Snapshot<SubagentResult<T>> & { readonly runId?: string }

/** What the actor tells itself. */
type SubagentActorEvent =
  | { readonly type: 'subagent.started'; readonly runId: string }
  | { readonly type: 'subagent.settled'; readonly result: SubagentResult }
  | { readonly type: 'subagent.failed'; readonly error: unknown }

/**
 * The logic that `fromSubagent` gives: its input is a start request, its output the result. Named so that declarations of machines
 * that embed it stay short (S24).
 */
export interface SubagentLogic<TSchema = unknown> extends ActorLogic<
  SubagentSnapshot<StructuredOf<TSchema>>,
  EventObject,
  SubagentStartRequest<TSchema>,
  ActorSystem<any>,
  EventObject
> {}

/**
 * One delegation as an actor: `invoke: { src: fromSubagent(service, 'spawn'), input: request, onDone, onError }`.
 *
 * `onDone` gets the result, also one that was cancelled, failed or timed out, with its stop reason; `onError` what `start`
 * throws and what rejects the run's result. Leaving the state, or stopping the actor, cancels and disposes the run; a
 * settled one is disposed too. An actor that is restored from a snapshot in mid-run fails with code LOST, since its child
 * went with the process.
 *
 * @param target a service, a registry actor, or the `systemId` of one in the same actor system
 */
export function fromSubagent<TSchema = unknown>(
  target: SubagentService | RegistryActorRef | string,
  provider: string,
): SubagentLogic<TSchema> {
  /** What is live of an actor: at first the request, then its run. Neither is JSON, so neither is in the snapshot. */
  const requests = new WeakMap<object, SubagentStartRequest>()
  const runs = new WeakMap<object, SubagentRun>()

  const release = ({ self }: AnyActorScope): void => {
    const run = runs.get(self)
    runs.delete(self)
    // A release that fails was logged by the run; there is nobody left to hear it.
    void run?.dispose().catch(() => {})
  }

  const logic: ActorLogic<
    SubagentSnapshot,
    SubagentActorEvent | { readonly type: 'xstate.stop' },
    SubagentStartRequest,
    ActorSystem<any>
  > = {
    getInitialSnapshot: ({ self }, input) => {
      requests.set(self, input)
      return { status: 'active', output: undefined, error: undefined }
    },
    start: (snapshot, scope) => {
      const { self } = scope
      const request = requests.get(self)
      if (!request)
        throw new SubagentError(
          'LOST',
          `The child of run ${snapshot.runId ?? 'unknown'} went with the process that ran it. Start it again.`,
        )
      requests.delete(self)
      const run = engineOf(registryOf(target, scope)).start(provider, request)
      runs.set(self, run)
      const tell = (event: SubagentActorEvent): void => {
        // Not where the actor was stopped meanwhile: XState would warn.
        if (runs.has(self)) self.send(event)
      }
      tell({ type: 'subagent.started', runId: run.runId })
      run.result.then(
        (result) => tell({ type: 'subagent.settled', result }),
        (error: unknown) => tell({ type: 'subagent.failed', error }),
      )
    },
    transition: (snapshot, event, scope) => {
      if (event.type === 'subagent.started') return { ...snapshot, runId: event.runId }
      const ended = endOf(event)
      if (!ended) return snapshot
      release(scope)
      return { ...snapshot, ...ended } as SubagentSnapshot
    },
    getPersistedSnapshot: (snapshot) => snapshot,
    restoreSnapshot: (snapshot) => snapshot as SubagentSnapshot,
  }
  return logic as unknown as SubagentLogic<TSchema>
}

function endOf(event: SubagentActorEvent | { readonly type: 'xstate.stop' }): Partial<SubagentSnapshot> | undefined {
  if (event.type === 'xstate.stop') return { status: 'stopped' }
  if (event.type === 'subagent.settled') return { status: 'done', output: event.result }
  if (event.type === 'subagent.failed') return { status: 'error', error: event.error }
  return undefined
}

function registryOf(target: SubagentService | RegistryActorRef | string, { system }: AnyActorScope): AnyActorRef {
  if (typeof target === 'string') {
    const found = system.get(target) as AnyActorRef | undefined
    if (found) return found
    throw new SubagentError(
      'INVALID_REQUEST',
      `No actor of this system has the systemId ${JSON.stringify(target)}. Invoke subagentRegistry with that systemId first.`,
    )
  }
  return 'ref' in target ? target.ref : target
}
