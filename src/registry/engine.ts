/**
 * What one registry actor works with: providers, runs, listeners.
 *
 * Owns: the door, the creation of run actors, the answers to actors that ask by event. Does not own: what phase a run is
 * in (its machine), what state the registry is in (its chart).
 *
 * Invariants: a run actor is made outside the registry's mailbox, so a start works inside any callback (S8); nothing is
 * copied a start or an end (S25); a refused start leaves nothing (R6).
 */
import type { ActorRef, AnyActorRef, AnyActorScope } from 'xstate'
import { SubagentError } from '../errors.ts'
import type { RegistryEffect, RegistryEngine, RegistryEvent, RegistryInput, RegistrySnapshot } from '../machines/registry.ts'
import { hasTakenItsEnd } from '../machines/run.ts'
import type { RunEvent } from '../machines/run.ts'
import { AbortLinks } from '../run/abort-link.ts'
import { noteChildActors } from '../run/child-actors.ts'
import { ChildRuns } from '../run/child-runs.ts'
import { describeThrown, warn } from '../run/contain.ts'
import { defaultCancelGraceMs, defaultReleaseGraceMs, uniqueId, stderrLogger, systemClock } from '../run/defaults.ts'
import { deferred } from '../run/deferred.ts'
import type { Deferred } from '../run/deferred.ts'
import { createHandle } from '../run/handle.ts'
import type { BeginChild, RunHost } from '../run/host.ts'
import { ParentLinks } from '../run/parent-link.ts'
import { RunRecord } from '../run/record.ts'
import type { Admission } from '../run/record.ts'
import { Relay } from '../run/relay.ts'
import { invalid, ownRequest } from '../run/request.ts'
import type { RequestDefaults } from '../run/request.ts'
import { Slots } from '../run/slots.ts'
import { Turns } from '../run/turns.ts'
import type {
  Clock,
  Logger,
  PermissionHandler,
  SubagentLifecycleEvent,
  SubagentProvider,
  SubagentResumeRequest,
  SubagentRun,
  SubagentStartRequest,
} from '../types.ts'
import { closeRuns } from './close.ts'
import { rootAgent } from '../parent.ts'
import { admit } from './door.ts'
import type { KeptSession } from './door.ts'
import { checkInput } from './input.ts'
import { NearMisses } from './near-misses.ts'
import { ParentRefs } from './parent-refs.ts'
import { ProviderClosings } from './provider-closings.ts'
import { Providers } from './providers.ts'
import type { ProviderDisposer } from './providers.ts'
import { replyOn } from './reply.ts'
import { RunActors, runInput } from './run-actors.ts'
import { settleLost } from './restore.ts'
import { Senders } from './senders.ts'

/**
 * A running registry actor. It takes `RegistryEvent`s and emits lifecycle events; a raw listener (`ref.on`) that throws ends the
 * process, as XState has it (S27).
 */
export interface RegistryActorRef extends ActorRef<RegistrySnapshot, RegistryEvent, SubagentLifecycleEvent> {}

const engines = new WeakMap<object, Engine>()

/** The engine of a registry actor. @throws SubagentError INVALID_REQUEST for any other actor */
export function engineOf(registry: AnyActorRef): Engine {
  const engine = engines.get(registry)
  if (!engine)
    throw new SubagentError(
      'INVALID_REQUEST',
      'This actor is not a subagent registry. Pass a service, or an actor made from subagentRegistry.',
    )
  return engine
}

export class Engine implements RegistryEngine, RunHost {
  readonly clock: Clock
  readonly logger: Logger
  readonly onPermission: PermissionHandler | undefined
  readonly relay: Relay
  readonly slots: Slots
  readonly turns = new Turns()
  readonly abortLinks = new AbortLinks()
  readonly parentLinks = new ParentLinks()
  readonly childRuns = new ChildRuns()
  readonly records = new Map<string, RunRecord>()
  readonly runIdsByAgent = new Map<string, string>()
  readonly providers: Providers
  readonly parentRefs = new ParentRefs()
  readonly defaults: RequestDefaults
  readonly ref: RegistryActorRef

  readonly #scope: AnyActorScope
  readonly #createId: () => string
  readonly #queue: 'wait' | 'reject'
  readonly #initialProviders: readonly SubagentProvider[]
  readonly #nearMisses: NearMisses
  readonly #senders: Senders
  readonly #closings: ProviderClosings
  readonly #actors: RunActors
  #watching = false
  #stopped = false
  #closed: Deferred<void> | undefined = undefined

  constructor(scope: AnyActorScope, input: RegistryInput) {
    checkInput(input)
    this.#scope = scope
    this.ref = scope.self as RegistryActorRef
    this.clock = input.clock ?? systemClock
    this.logger = input.logger ?? stderrLogger
    this.onPermission = input.onPermission
    this.#createId = input.createId ?? uniqueId
    this.#queue = input.queue ?? 'wait'
    this.defaults = {
      ...(input.timeoutMs !== undefined && { timeoutMs: input.timeoutMs }),
      cancelGraceMs: input.cancelGraceMs ?? defaultCancelGraceMs,
      releaseGraceMs: input.releaseGraceMs ?? defaultReleaseGraceMs,
    }
    this.relay = new Relay(this.logger, (event) => scope.emit(event))
    this.slots = new Slots(input)
    this.#closings = new ProviderClosings({
      host: this,
      graceMs: this.defaults.releaseGraceMs,
      isRegistered: (provider) => this.providers.has(provider),
    })
    this.providers = new Providers(this.relay, (provider) => this.#closings.retire(provider))
    this.#initialProviders = input.providers ?? []
    this.#nearMisses = new NearMisses(this.logger)
    this.#senders = new Senders(scope)
    this.#actors = new RunActors(this.ref, this.records)
    engines.set(scope.self, this)
  }

  begin(restored: RegistrySnapshot['runs']): void {
    for (const provider of this.#initialProviders) this.providers.register(provider)
    for (const snapshot of Object.values(restored ?? {})) settleLost(this, snapshot, (record, persisted) => this.#spawn(record, persisted))
    // A registry that was persisted while it closed has nobody left to go on with that.
    if (this.ref.getSnapshot().value === 'draining') this.#drain('cancel')
  }

  perform(effect: RegistryEffect, event: RegistryEvent): void {
    const detail = event as any
    try {
      if (effect === 'register') this.#senders.undoWithSender(event, this.register(detail.provider))
      else if (effect === 'unregister') this.providers.remove(detail.name)
      else if (effect === 'startRun') replyOn(this, detail)
      else if (effect === 'cancelRun') this.#find(detail)?.stop(detail.reason)
      else if (effect === 'disposeRun')
        void this.#find(detail)
          ?.dispose()
          .catch(() => {})
      else if (effect === 'drain') this.#drain(detail.runs ?? 'cancel')
    } catch (thrown) {
      warn(this.logger, `The registry could not take ${event.type}: ${describeThrown(thrown)}`)
    }
  }

  /** Takes providers and starts. While the actor is being stopped its snapshot still reads open. */
  get isOpen(): boolean {
    const { value, status } = this.ref.getSnapshot()
    return value === 'open' && status === 'active' && !this.#stopped
  }

  /** @throws SubagentError REGISTRY_CLOSED, INVALID_PROVIDER, DUPLICATE_PROVIDER; what a listener threw */
  register(provider: SubagentProvider): ProviderDisposer {
    if (!this.isOpen)
      throw new SubagentError('REGISTRY_CLOSED', 'The service is closing or closed and takes no providers. Make a new service.')
    return this.providers.register(provider)
  }

  start(name: string, asks: SubagentStartRequest, begin?: BeginChild): SubagentRun {
    return this.#start(name, ownRequest(asks), begin)
  }

  /** Everything that a start does, but that the provider's `resume` begins the child (P12). */
  resume(name: string, asks: SubagentResumeRequest): SubagentRun {
    const own = ownRequest(asks as unknown as SubagentStartRequest) as unknown as Partial<SubagentResumeRequest> | null | undefined
    // What is no request at all is refused by the check.
    if (typeof own !== 'object' || own === null) return this.#start(name, own as never, undefined, { sessionId: undefined })
    const { sessionId = asks.sessionId, parent = rootAgent(), ...request } = own
    return this.#start(name, { ...(request as Omit<SubagentResumeRequest, 'sessionId'>), parent }, undefined, { sessionId })
  }

  #start(name: string, request: SubagentStartRequest, begin: BeginChild | undefined, kept?: KeptSession): SubagentRun {
    const startedAt = this.clock.now()
    const asked: unknown = request?.id
    const runId = typeof asked === 'string' && asked !== '' ? asked : checkId(this.#createId())
    let admission: Admission
    try {
      admission = admit(this, name, request, runId, kept)
    } catch (error) {
      this.#refuse(runId, name, error)
      throw error
    }
    this.#nearMisses.check(request)
    const record = new RunRecord(this, admission, kept ? resumeOf(admission, kept) : begin, startedAt)
    const { signal } = request
    const event: RunEvent = signal?.aborted
      ? { type: 'abort-before-start' }
      : this.slots.take(record)
        ? { type: 'accept' }
        : { type: 'wait' }
    if (event.type === 'wait' && this.#queue === 'reject') {
      const error = this.slots.refusal(name)
      this.#refuse(runId, name, error)
      throw error
    }
    if (signal && !signal.aborted) this.abortLinks.link(signal, record)
    this.#spawn(record)
    // Not by the actor itself: a parent that has ended already may have taken the run to its end.
    record.send(event)
    if (record.startError) throw record.startError.error
    return createHandle(record)
  }

  watchChildren(): void {
    if (this.#watching) return
    this.#watching = true
    noteChildActors(this.#scope.system, this.records)
    this.#senders.watch()
  }

  /** Memoised; the chart refuses new starts from here on. */
  close(runs: 'cancel' | 'detach' = 'cancel'): Promise<void> {
    const closed = (this.#closed ??= deferred())
    const { status } = this.ref.getSnapshot()
    if (status === 'active') this.ref.send({ type: 'close', runs })
    // Restored when it was closed already.
    else if (status === 'done' && this.records.size === 0) closed.resolve()
    return closed.promise
  }

  stop(): void {
    this.#stopped = true
    this.slots.close()
    const records = [...this.records.values()]
    for (const record of records) record.giveUp('the registry was stopped')
    const disposals = records.map((record) => record.dispose().catch(() => {}))
    const stopActors = (ended: boolean) => {
      for (const { ref } of records) if (!ended || hasTakenItsEnd(ref.getSnapshot())) this.#scope.stopChild(ref)
    }
    stopActors(true)
    // A run that is in the middle of a step, with a listener or a provider's start on the stack, takes its end right after
    // it, still in this tick; stopped before, it would lose what was sent to it.
    queueMicrotask(() => stopActors(false))
    const closed = (this.#closed ??= deferred())
    void Promise.all(disposals).then(() => this.#closeProviders(() => closed.resolve()))
  }

  persistedRuns(): Record<string, unknown> {
    return Object.fromEntries(Array.from(this.records, ([runId, { ref }]) => [runId, ref.getPersistedSnapshot()]))
  }

  #drain(runs: 'cancel' | 'detach'): void {
    const closed = (this.#closed ??= deferred())
    void closeRuns(this, runs).then(() =>
      this.#closeProviders(() => {
        if (this.ref.getSnapshot().status === 'active') this.ref.send({ type: 'quiet' })
        closed.resolve()
      }),
    )
  }

  /** Calls back in the same turn where no provider has anything to close. */
  #closeProviders(over: () => void): void {
    const closing = this.#closings.closeAll(this.providers.all())
    if (closing) void closing.then(over)
    else over()
  }

  #find({ runId, type }: { runId: string; type: string }): RunRecord | undefined {
    const record = this.records.get(runId)
    if (!record) warn(this.logger, `${type}: no live run has the id ${JSON.stringify(runId)}.`)
    return record
  }

  #spawn(record: RunRecord, snapshot?: unknown): void {
    record.ref = this.#actors.create(runInput(record), snapshot)
    const parentRun = record.parentRunId === undefined ? undefined : this.records.get(record.parentRunId)
    if (parentRun) this.childRuns.add(parentRun, record)
    this.records.set(record.runId, record)
    record.isLive = true
    this.parentLinks.link(record)
    record.ref.start()
  }

  #refuse(runId: string, provider: string, error: unknown): void {
    if (this.#stopped || this.ref.getSnapshot().status !== 'active') return
    const { cancelGraceMs, releaseGraceMs } = this.defaults
    this.#actors.refuse({ runId, provider: typeof provider === 'string' ? provider : '', cancelGraceMs, releaseGraceMs }, error)
  }
}

function resumeOf({ provider }: Admission, kept: KeptSession): BeginChild {
  return (request, context) => provider.resume!(Object.assign(request, kept as { sessionId: string }), context)
}

/** @throws SubagentError INVALID_REQUEST */
function checkId(id: unknown): string {
  if (typeof id !== 'string' || id === '') throw invalid('what createId gives', 'a non-empty string', id)
  return id
}
