/**
 * The registry's chart, `open → draining → closed`, and the actor logic that follows it.
 *
 * Owns: which events count in which state, what each asks for. Does not own: providers, runs and listeners; those live
 * in the engine that the logic is made with, outside the snapshot, so that nothing is copied a run (S25).
 *
 * Not a machine of XState's own: one that spawns copies its record of children on every start and end. The chart is
 * carried as `config`, which is what inspectors draw and what `transition` reads (S6).
 */
import type { ActorLogic, ActorSystem, AnyActorRef, AnyActorScope, Snapshot } from 'xstate'
import type {
  Logger,
  Clock,
  PermissionHandler,
  SubagentLifecycleEvent,
  SubagentProvider,
  SubagentResult,
  SubagentStartRequest,
} from '../types.ts'

/** What a registry is made with; every field has a default. */
export interface RegistryInput {
  /** Registered in this order before anything else happens. */
  readonly providers?: readonly SubagentProvider[]
  /** @default warnings to stderr */
  readonly logger?: Logger
  /** @default the system's */
  readonly clock?: Clock
  /** Makes run ids. @default ids that are unique across processes */
  readonly createId?: () => string
  /**
   * Decides what children ask to be allowed, where their provider leaves it to the service (A13).
   * @default none: what nobody decides is refused
   */
  readonly onPermission?: PermissionHandler
  /** Deadline of runs that name none, 1 … 2147483647. @default none */
  readonly timeoutMs?: number
  /** @default 5000 */
  readonly cancelGraceMs?: number
  /** @default 10000 */
  readonly releaseGraceMs?: number
  /** Runs that may be unsettled at once. @default unlimited */
  readonly maxConcurrentRuns?: number
  /** The same for each provider. @default unlimited */
  readonly maxConcurrentPerProvider?: number
  /** Over the limit: wait for a slot, or throw CONCURRENCY_LIMIT. @default 'wait' */
  readonly queue?: 'wait' | 'reject'
}

/**
 * What a registry actor takes. What is wrong with one is a warning of its logger, or a `run.rejected` to whoever asked for replies;
 * it is never thrown (S23).
 */
export type RegistryEvent =
  /** Undone when the actor that sent it stops (S4). */
  | { readonly type: 'provider.register'; readonly provider: SubagentProvider }
  | { readonly type: 'provider.unregister'; readonly name: string }
  | {
      readonly type: 'run.start'
      readonly requestId?: string
      readonly provider: string
      readonly request: SubagentStartRequest
      /** Hears `run.started`, then `run.settled`; or `run.rejected`. */
      readonly replyTo?: AnyActorRef
    }
  | { readonly type: 'run.cancel'; readonly runId: string; readonly reason?: string }
  | { readonly type: 'run.dispose'; readonly runId: string; readonly reason?: string }
  | { readonly type: 'close'; readonly runs?: 'cancel' | 'detach' }
  /** The last run is gone; sent by the registry to itself. */
  | { readonly type: 'quiet' }

/** What `replyTo` hears. */
export type RegistryReply =
  | { readonly type: 'run.started'; readonly requestId?: string; readonly runId: string; readonly id: string; readonly provider: string }
  | { readonly type: 'run.settled'; readonly requestId?: string; readonly runId: string; readonly result: SubagentResult }
  | { readonly type: 'run.rejected'; readonly requestId?: string; readonly runId?: string; readonly error: unknown }

/** `draining` from `close` on, until the last run is gone. */
export type RegistryState = 'open' | 'draining' | 'closed'
export type RegistryEffect = 'register' | 'unregister' | 'startRun' | 'cancelRun' | 'disposeRun' | 'drain' | 'none'

/** What an observer sees of a registry: JSON, without handles. */
export type RegistrySnapshot = Snapshot<undefined> & {
  /** Whether it takes providers and starts. */
  readonly value: RegistryState
  /** Empty: providers, runs and listeners are the engine's. */
  readonly context: {}
  /** In a persisted snapshot: the live runs, by run id. */
  readonly runs?: { readonly [runId: string]: unknown }
}

interface Edge {
  readonly target?: RegistryState
  readonly actions: RegistryEffect
}

const runEvents = { 'run.cancel': { actions: 'cancelRun' }, 'run.dispose': { actions: 'disposeRun' } } as const satisfies Record<
  string,
  Edge
>

/** The chart. A start is taken in every state but the last; whether it is refused is the door's decision. */
export const registryConfig = {
  id: 'registry',
  initial: 'open',
  states: {
    open: {
      on: {
        'provider.register': { actions: 'register' },
        'provider.unregister': { actions: 'unregister' },
        'run.start': { actions: 'startRun' },
        ...runEvents,
        close: { target: 'draining', actions: 'drain' },
      },
    },
    draining: {
      on: {
        'provider.unregister': { actions: 'unregister' },
        'run.start': { actions: 'startRun' },
        ...runEvents,
        quiet: { target: 'closed', actions: 'none' },
      },
    },
    closed: { type: 'final' },
  },
} as const satisfies {
  id: string
  initial: RegistryState
  states: Record<RegistryState, { type?: 'final'; on?: { [Type in RegistryEvent['type']]?: Edge } }>
}

function edgeOf(state: RegistryState, { type }: RegistryEvent): Edge | undefined {
  const node = registryConfig.states[state]
  const on: { readonly [Type in RegistryEvent['type']]?: Edge } = 'on' in node ? node.on : {}
  return Object.hasOwn(on, type) ? on[type] : undefined
}

/** What the logic drives: one a registry actor. */
export interface RegistryEngine {
  perform(effect: RegistryEffect, event: RegistryEvent): void
  /** The actor was started; `restored` are the live runs of a persisted snapshot. */
  begin(restored: RegistrySnapshot['runs']): void
  /** The actor is being stopped: everything ends in this tick (S6). */
  stop(): void
  persistedRuns(): NonNullable<RegistrySnapshot['runs']>
}

/** The type of `subagentRegistry`, named so that declarations of machines that embed it stay short. */
export interface RegistryLogic extends ActorLogic<
  RegistrySnapshot,
  RegistryEvent,
  RegistryInput | undefined,
  ActorSystem<any>,
  SubagentLifecycleEvent
> {
  /** The chart, for drawing it. */
  readonly config: typeof registryConfig
}

/** XState hands the input to the first snapshot only; a restored registry needs its clock, logger and limits as well. */
function inputOf({ self }: AnyActorScope): RegistryInput {
  return (self as { readonly options?: { readonly input?: RegistryInput } }).options?.input ?? {}
}

/** @param open makes the engine of one registry actor */
export function createRegistryLogic(open: (scope: AnyActorScope, input: RegistryInput) => RegistryEngine): RegistryLogic {
  // By actor, and by snapshot: persisting is given nothing but the snapshot.
  const engines = new WeakMap<object, RegistryEngine>()
  const engineOf = (key: object): RegistryEngine => engines.get(key)!
  const withEngine = (snapshot: RegistrySnapshot, engine: RegistryEngine): RegistrySnapshot => {
    engines.set(snapshot, engine)
    return snapshot
  }
  const begin = (scope: AnyActorScope, input: RegistryInput): RegistryEngine => {
    const engine = open(scope, input)
    engines.set(scope.self, engine)
    return engine
  }

  return {
    config: registryConfig,
    getInitialSnapshot: (scope, input) =>
      withEngine(
        { status: 'active', output: undefined, error: undefined, value: registryConfig.initial, context: {} },
        begin(scope, input ?? {}),
      ),
    start: (snapshot, scope) => engineOf(scope.self).begin(snapshot.runs),
    transition: (snapshot, event, scope) => {
      const engine = engineOf(scope.self)
      if ((event.type as string) === 'xstate.stop') {
        engine.stop()
        return withEngine({ ...snapshot, status: 'stopped', output: undefined, error: undefined }, engine)
      }
      const edge = edgeOf(snapshot.value, event)
      if (!edge) return snapshot
      // After the new snapshot is in place, as with the run machine's effects.
      scope.defer(() => engine.perform(edge.actions, event))
      if (!edge.target) return snapshot
      const status = 'type' in registryConfig.states[edge.target] ? 'done' : 'active'
      return withEngine({ ...snapshot, value: edge.target, status, output: undefined, error: undefined } as RegistrySnapshot, engine)
    },
    getPersistedSnapshot: (snapshot) => ({ ...snapshot, runs: engineOf(snapshot).persistedRuns() }),
    restoreSnapshot: (persisted, scope) => withEngine({ ...(persisted as RegistrySnapshot) }, begin(scope, inputOf(scope))),
  }
}
