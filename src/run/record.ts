/**
 * The record of one run: every live handle that its machine cannot hold (R5).
 *
 * Owns: the provider's run, the linked signal, timers, updates, the caller's promises, counters.
 * Does not own: what phase the run is in; only the machine knows, and nothing here asks. A record is alive while the
 * registry holds it; an event for one that is gone is counted and dropped.
 */
import type { AnyActorRef } from 'xstate'
import { isCause, stopEvent } from '../machines/run.ts'
import type { RunEvent, RunTimer } from '../machines/run.ts'
import type {
  PermissionRequest,
  ProviderRun,
  ResolvedStartRequest,
  RunActorRef,
  SubagentProvider,
  SubagentResult,
  SubagentStartRequest,
} from '../types.ts'
import { describeReason } from './contain.ts'
import type { Deferred } from './deferred.ts'
import { deferred } from './deferred.ts'
import type { BeginChild, RunHost } from './host.ts'
import { RunReports } from './reports.ts'
import { RunTimers } from './timers.ts'

/** A request that passed the door. */
export interface Admission {
  /** The name that the provider is registered under. */
  readonly name: string
  readonly provider: SubagentProvider
  /** A copy of the caller's own: changing that one later changes nothing. */
  readonly request: SubagentStartRequest
  readonly resolved: ResolvedStartRequest
  readonly parentRunId: string | undefined
}

/** A settled run's outcome: what `result` resolves to, or what it rejects with. */
export type Settlement = { readonly result: SubagentResult } | { readonly error: unknown }

export class RunRecord {
  readonly host: RunHost
  readonly runId: string
  readonly provider: SubagentProvider
  /** The name it is registered under. */
  readonly providerName: string
  /** The caller's request, copied as far as `resolved` does not hold it. */
  readonly request: SubagentStartRequest
  readonly resolved: ResolvedStartRequest
  readonly parentRunId: string | undefined
  /** How the child is begun, where it is not by the provider's `start`. */
  readonly begin: BeginChild | undefined
  readonly startedAt: number
  ref!: RunActorRef
  /** The registry holds it. */
  isLive = false

  /** The run whose child started this one, where that was live. */
  parentRun: RunRecord | undefined = undefined
  child: ProviderRun | undefined = undefined
  /** The child agent's id, once there is one. */
  childId: string | undefined = undefined
  /** Called with the child when there is one: the handle then shows what this child can. */
  onChild: ((child: ProviderRun) => void) | undefined = undefined
  /** Actors made with the run as parent. */
  childActors: Set<AnyActorRef> | undefined = undefined
  /** Why it was stopped, for the result, where it was not asked for. */
  whyStopped: string | undefined = undefined
  /** What `provider.start` threw. */
  startError: { readonly error: unknown } | undefined = undefined
  /** What the provider answered, or how its promise failed; read when the machine decides. */
  answer: Settlement | undefined = undefined
  settlement: Settlement | undefined = undefined
  /** How the release failed. */
  releaseError: { readonly error: unknown } | undefined = undefined
  /** Somebody wants it released, once it is held. */
  disposing = false
  /** Open questions, and whether each was published. */
  asks: Map<PermissionRequest, boolean> | undefined = undefined
  signalledReady = false
  /** `subagent/start` was delivered. */
  announced = false
  /** A stop was sent to the run. */
  stopping = false
  late = 0
  leaked = false
  hasSlot = false

  #controller: AbortController | undefined = undefined
  #cancelled: (() => unknown) | undefined = undefined
  #timers: RunTimers | undefined = undefined
  #reports: RunReports | undefined = undefined
  #result: Deferred<SubagentResult> | undefined = undefined
  #disposal: Deferred<void> | undefined = undefined
  #heldEvents: RunEvent[] | undefined = undefined
  #onEnd: readonly (() => void)[] | undefined = undefined
  #onGone: readonly (() => void)[] | undefined = undefined

  constructor(
    host: RunHost,
    { name, provider, request, resolved, parentRunId }: Admission,
    begin: BeginChild | undefined,
    startedAt: number,
  ) {
    this.host = host
    this.runId = resolved.runId
    this.provider = provider
    this.providerName = name
    this.request = request
    this.resolved = resolved
    this.parentRunId = parentRunId
    this.begin = begin
    this.startedAt = startedAt
  }

  get id(): string {
    return this.childId ?? this.runId
  }

  /** The one way an event reaches the run. */
  send(event: RunEvent): void {
    if (this.#heldEvents) this.#heldEvents.push(event)
    else if (this.isLive && this.ref.getSnapshot().status === 'active') this.ref.send(event)
    else this.ignored(event)
  }

  /** Counts an event that came too late to decide anything (R4). */
  ignored(event: { readonly type: string }): void {
    if (isCause(event)) this.late++
  }

  /** Keeps what is sent back until {@link sendHeld}: while `provider.start` is on the stack the run has not begun. */
  holdEvents(): void {
    this.#heldEvents = []
  }

  /** Sends what was kept, or drops it where the start failed. */
  sendHeld(started: boolean): void {
    const held = this.#heldEvents
    this.#heldEvents = undefined
    if (started && held) for (const event of held) this.send(event)
  }

  /** A request to stop, in whatever phase (R7). */
  stop(reason?: unknown): void {
    const event = this.isLive ? stopEvent(this.ref.getSnapshot(), reason === undefined ? undefined : describeReason(reason)) : undefined
    if (!event) {
      this.late++
      return
    }
    this.stopping = true
    this.send(event)
  }

  /** Ends the run without waiting for its child: whoever asks is ending itself. */
  giveUp(reason: string): void {
    if (this.settlement) return
    if (!this.stopping) this.stop(reason)
    this.send({ type: 'give-up', unasked: true })
  }

  /** The caller's signal aborted: the child's hears at once, the run when it can take the cancel. */
  aborted(reason: unknown): void {
    this.abortSignal(() => reason)
    this.stop(reason ?? 'aborted')
  }

  /** Idempotent and memoised; what it resolves with is decided by the release (R10). */
  dispose(): Promise<void> {
    if (!this.#disposal) {
      this.#disposal = deferred()
      if (this.isLive) this.release()
      else this.released()
    }
    return this.#disposal.promise
  }

  /** {@link dispose} for whoever is not told how it ends: without a promise, of which a large registry would make as many as it has runs. */
  release(): void {
    if (this.disposing || !this.isLive) return
    this.disposing = true
    const event = stopEvent(this.ref.getSnapshot(), 'disposed')
    if (event) {
      this.stopping = true
      this.send(event)
    }
    // One that was stopped and has not settled could not take it, and is told at its end that it is to be disposed.
    if (!this.stopping || this.settlement) this.send({ type: 'dispose' })
  }

  /** The release has ended, whichever way. */
  released(): void {
    if (this.releaseError) this.#disposal?.reject(this.releaseError.error)
    else this.#disposal?.resolve()
  }

  /** The child's signal; made on first read, so that a run whose provider never looks pays nothing. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#cancelled && !this.#controller.signal.aborted) this.#controller.abort(this.#cancelled())
    return this.#controller.signal
  }

  /** @param reason made only where somebody has read the signal: an error costs more than the whole cancel */
  abortSignal(reason: () => unknown): void {
    if (this.#cancelled) return
    this.#cancelled = reason
    this.#controller?.abort(reason())
  }

  arm(timer: RunTimer, ms: number, due: () => void): void {
    ;(this.#timers ??= new RunTimers(this.host.clock)).arm(timer, ms, () => this.host.turns.run(due))
  }

  pause(timer: RunTimer): void {
    this.#timers?.pause(timer)
  }

  resume(timer: RunTimer): void {
    this.#timers?.resume(timer)
  }

  disarm(timer: RunTimer): void {
    this.#timers?.disarm(timer)
  }

  disarmAll(): void {
    this.#timers?.disarmAll()
  }

  get reports(): RunReports {
    return (this.#reports ??= new RunReports(this))
  }

  /** `subagent/start` was delivered. */
  openUpdates(): void {
    this.announced = true
    this.#reports?.open()
  }

  closeUpdates(): void {
    this.#reports?.close()
  }

  get droppedUpdates(): number {
    return this.#reports?.dropped ?? 0
  }

  get result(): Promise<SubagentResult> {
    if (!this.#result) {
      this.#result = deferred()
      if (this.settlement) this.#pass(this.settlement)
    }
    return this.#result.promise
  }

  /** The run's one settlement (R12). */
  settle(settlement: Settlement): void {
    this.settlement = settlement
    this.#pass(settlement)
  }

  /** Calls back after `subagent/end` was delivered. */
  whenEnded(callback: () => void): void {
    this.#onEnd = (this.#onEnd ?? []).concat(callback)
  }

  ended(): void {
    const callbacks = this.#onEnd
    this.#onEnd = undefined
    if (callbacks) for (const callback of callbacks) callback()
  }

  /** Calls back once the registry holds the record no more. */
  whenGone(callback: () => void): void {
    this.#onGone = (this.#onGone ?? []).concat(callback)
  }

  gone(): void {
    const callbacks = this.#onGone
    this.#onGone = undefined
    if (callbacks) for (const callback of callbacks) callback()
  }

  #pass(settlement: Settlement): void {
    if ('error' in settlement) this.#result?.reject(settlement.error)
    else this.#result?.resolve(settlement.result)
  }
}
