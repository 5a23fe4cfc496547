/**
 * The plain face of a registry actor: calls become events, snapshots become promises (S1–S28).
 */
import { createActor } from 'xstate'
import type { InspectionEvent, Observer } from 'xstate'
import { createRegistryLogic } from './machines/registry.ts'
import type { RegistryInput, RegistryLogic } from './machines/registry.ts'
import { Engine, engineOf } from './registry/engine.ts'
import type { RegistryActorRef } from './registry/engine.ts'
import { checkInput } from './registry/input.ts'
import type { ProviderDisposer } from './registry/providers.ts'
import { contain } from './run/contain.ts'
import { stderrLogger } from './run/defaults.ts'
import { lifecycleTypes } from './run/relay.ts'
import type { LifecycleEventOf, LifecycleType } from './run/relay.ts'
import { unknownName } from './run/known-names.ts'
import { invalid } from './run/request.ts'
import type {
  Logger,
  ResolvedStartRequest,
  StructuredOf,
  SubagentProvider,
  SubagentResult,
  SubagentResumeRequest,
  SubagentRun,
  SubagentStartRequest,
} from './types.ts'

export interface SubagentServiceOptions extends RegistryInput {
  /** Sees the registry, its runs and their children as XState inspection events (I1). One that throws changes nothing. */
  readonly inspect?: Observer<InspectionEvent> | ((event: InspectionEvent) => void)
}

/**
 * The plain face of a registry actor: providers by name, runs by handle, lifecycle events.
 *
 * Contract: whoever made it closes it, by `close()` or `await using`; a service that stands on a registry of somebody else
 * (`subagentService`) leaves that to its owner. Methods need no `this`. After `close`, what would begin something throws
 * REGISTRY_CLOSED.
 */
export interface SubagentService extends AsyncDisposable {
  /** The registry actor. A raw listener on it that throws ends the process, as XState has it (S27); `on` contains. */
  readonly ref: RegistryActorRef
  /**
   * Adds a provider under its name.
   * @returns the disposer: callable and `Disposable`, once (S4)
   * @throws SubagentError INVALID_PROVIDER, DUPLICATE_PROVIDER, REGISTRY_CLOSED; or what a listener of `subagent/provider-added` threw (S3)
   */
  registerProvider(provider: SubagentProvider): ProviderDisposer
  /** The provider that is registered by this name now; undefined where there is none. */
  getProvider(name: string): SubagentProvider | undefined
  /** Names in the order of registration. */
  list(): string[]
  /** What a live run was started with, as JSON: for observers, whose events do not carry it. From `subagent/start` on; undefined once it is disposed. */
  getRequest(runId: string): ResolvedStartRequest | undefined
  /**
   * Starts a child; synchronous, also inside a listener, an action or another run's callback (S8). Whoever calls disposes the run.
   * @throws SubagentError REGISTRY_CLOSED, NO_PROVIDER, INVALID_REQUEST, DUPLICATE_RUN, UNSUPPORTED_CAPABILITY, DEPTH_EXCEEDED,
   * CONCURRENCY_LIMIT, INVALID_PROVIDER; or what the provider's `start` threw, untouched (S13)
   */
  start<const TSchema = unknown>(provider: string, request: SubagentStartRequest<TSchema>): SubagentRun<StructuredOf<TSchema>>
  /** Starts, awaits and disposes on every path: for callers that need no handle (S28). Rejects as `start` throws and as `result` rejects. */
  delegate<const TSchema = unknown>(
    provider: string,
    request: SubagentStartRequest<TSchema>,
  ): Promise<SubagentResult<StructuredOf<TSchema>>>
  /**
   * Continues a session that a provider keeps, in a new run: after a restart of the process, or where the run that had it is
   * gone. A run that is at hand is continued by its own `resume`. All that is said of `start` holds; the child is as deep as its
   * session was, or as `parent` makes it, whichever is deeper (P1, P12).
   * @throws SubagentError as `start`; UNSUPPORTED_CAPABILITY where the provider cannot; INVALID_REQUEST where there is no such
   * session or somebody else has it; DEPTH_EXCEEDED where the session is deeper than `maxDepth`
   */
  resume<const TSchema = unknown>(provider: string, request: SubagentResumeRequest<TSchema>): SubagentRun<StructuredOf<TSchema>>
  /**
   * Listens to lifecycle events; `'*'` hears all, after the listeners of the type (S19).
   * Contract: called synchronously; a throw or a rejection is logged and changes nothing (S17), but see `registerProvider`.
   * @throws SubagentError INVALID_REQUEST for a type that no event has, or a listener that is no function
   */
  on<Type extends LifecycleType | '*'>(type: Type, listener: (event: LifecycleEventOf<Type>) => unknown): { unsubscribe(): void }
  /**
   * Takes no new starts, cancels what is live, releases children before parents; resolves when all is quiet, within the
   * slowest run's graces. Memoised, never rejects (S6).
   */
  close(options?: { readonly runs?: 'cancel' | 'detach' }): Promise<void>
}

/** The registry as actor logic, for a registry inside an actor system of one's own (S23). `subagentService(ref)` is its plain face. */
export const subagentRegistry: RegistryLogic = createRegistryLogic((scope, input) => new Engine(scope, input))

/**
 * Starts a registry actor and returns its face. Whoever makes it closes it.
 *
 * @throws SubagentError INVALID_REQUEST naming the option; INVALID_PROVIDER, DUPLICATE_PROVIDER
 */
export function createSubagentService(options: SubagentServiceOptions = {}): SubagentService {
  checkInput(options, ['inspect'])
  const { inspect, providers = [], ...input } = options
  const ref: RegistryActorRef & { stop(): unknown } = createActor(subagentRegistry, {
    input,
    ...(inspect && { inspect: contained(inspect, input.logger ?? stderrLogger) }),
  })
  ref.start()
  const service = subagentService(ref)
  try {
    for (const provider of providers) service.registerProvider(provider)
  } catch (error) {
    ref.stop()
    throw error
  }
  return service
}

const listenable: readonly string[] = [...lifecycleTypes, '*']

/**
 * The plain face of a registry actor that runs already.
 * @throws SubagentError INVALID_REQUEST for an actor that is no registry
 */
export function subagentService(ref: RegistryActorRef): SubagentService {
  const engine = engineOf(ref)
  const close: SubagentService['close'] = ({ runs } = {}) => engine.close(runs)
  return {
    ref,
    registerProvider: (provider) => engine.register(provider),
    getProvider: (name) => engine.providers.get(name),
    list: () => engine.providers.names(),
    getRequest: (runId) => engine.records.get(runId)?.resolved,
    start: (provider, request) => engine.start(provider, request as SubagentStartRequest) as never,
    resume: (provider, request) => engine.resume(provider, request as SubagentResumeRequest) as never,
    delegate: async (provider, request) => {
      const run = engine.start(provider, request as SubagentStartRequest)
      try {
        return (await run.result) as never
      } finally {
        // A release that failed was logged; it does not change what the child achieved.
        await run.dispose().catch(() => {})
      }
    },
    on: (type, listener) => {
      if (typeof type !== 'string') throw invalid('type', 'the type of an event', type)
      if (!listenable.includes(type)) throw unknownName(type, listenable, 'A service', 'event type')
      if (typeof listener !== 'function') throw invalid('listener', 'a function', listener)
      return engine.relay.on(type, listener as (event: unknown) => unknown)
    },
    close,
    [Symbol.asyncDispose]: () => close(),
  }
}

/** An inspection observer that throws would wedge the mailbox of the actor it watches (I1). */
function contained(inspect: NonNullable<SubagentServiceOptions['inspect']>, logger: Logger): (event: InspectionEvent) => void {
  const next = typeof inspect === 'function' ? inspect : (event: InspectionEvent) => inspect.next?.(event)
  return (event) => contain(logger, 'The inspection observer', () => next(event))
}
