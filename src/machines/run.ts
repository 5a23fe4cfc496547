/**
 * The run machine: which phases a delegation has and what moves it from one to the next.
 *
 * Owns: the states, the edges, which cause decides a run, which effects an edge asks for.
 * Does not own: how an effect is performed (src/run), who listens, which provider it is. As it stands here the effects
 * do nothing, so that the chart can be drawn, explored by @xstate/graph and interpreted by `transition`; the engine
 * provides them.
 *
 * Invariants: every edge has a named event, nothing moves by itself (R1); effects are a closed list with JSON parameters
 * (R2); the context is JSON, made of input and the event that moved the state (R3); the first cause wins (R4).
 */
import { assign, setup } from 'xstate'
import type { ActorLogic, ActorSystem, EventObject, MetaObject, Snapshot, StateMachine } from 'xstate'
import type { PermissionRequest, SubagentFailure, SubagentStopReason } from '../types.ts'
import { runDecisions } from './run-decisions.ts'

/** All that moves a run. The engine sends them, and a run sends nothing by itself (R1). */
export type RunEvent =
  | { readonly type: 'accept' }
  | { readonly type: 'wait' }
  | { readonly type: 'slot' }
  /** While validating: refused. Later: the run's own promise failed. */
  | { readonly type: 'reject'; readonly code?: string }
  | { readonly type: 'abort-before-start'; readonly reason?: string }
  | { readonly type: 'start-failed' }
  | { readonly type: 'ready' }
  | { readonly type: 'settle'; readonly stopReason: SubagentStopReason; readonly failure?: SubagentFailure }
  | { readonly type: 'cancel'; readonly reason?: string }
  | { readonly type: 'deadline' }
  /** The grace is over; `unasked` where the run's parent or registry ends and no grace was given. */
  | { readonly type: 'give-up'; readonly unasked?: true }
  | { readonly type: 'ask'; readonly request: PermissionRequest }
  | { readonly type: 'answer' }
  | { readonly type: 'dispose' }
  | { readonly type: 'released' }
  | { readonly type: 'release-failed' }

/** What a run ends as. `keep` says which output counts: the child's answer, else what it streamed; or nothing. */
export interface RunOutcome {
  /** What the result reports, unless it is `rejected`. */
  readonly stopReason: SubagentStopReason
  /** `output`: the child's answer, else what it streamed. `nothing`: none, where no child was started or the result rejects. */
  readonly keep: 'output' | 'nothing'
  /** True where the result rejects. */
  readonly rejected?: boolean
  /** Why it did not complete, where the cause brought a reason. */
  readonly failure?: SubagentFailure
}

/** What a run begins with. Times are milliseconds; without `timeoutMs` there is no deadline. */
export interface RunInput {
  /** The id of the request, or a generated one. */
  readonly runId: string
  /** The name that the provider is registered under. */
  readonly provider: string
  /** The live run whose child delegates; absent for whoever is no child of one. */
  readonly parentRunId?: string
  /** The request's own. */
  readonly label?: string
  /** Deadline from the start of the child; it stands still while a permission is pending (R9). */
  readonly timeoutMs?: number
  /** How long a cancelled child may take to settle (R8). */
  readonly cancelGraceMs: number
  /** How long the release may take (R11). */
  readonly releaseGraceMs: number
}

/** What a run remembers, as JSON (R3). */
export interface RunMachineContext extends RunInput {
  /** Who stopped the child, and in which phase. */
  readonly stop?: { readonly by: 'cancel' | 'deadline'; readonly phase: 'starting' | 'running' }
  /** Set once, by the first cause (R4); absent until then. */
  readonly outcome?: RunOutcome
}

/** The states of a run. `settling.held`: the outcome is final and the child not yet released. */
export type RunStateValue =
  | { validating: 'checking' | 'queued' }
  | 'starting'
  | { running: 'active' | 'awaitingPermission' }
  | { settling: 'draining' | 'held' | 'releasing' }
  | 'disposed'

/** The timers of a run: the deadline of the child, the grace after a cancel, the grace of the release. */
export type RunTimer = 'deadline' | 'grace' | 'release'

/**
 * The closed list of effects, in the words of the engine that performs them. Parameters are JSON. Few and coarse on the way
 * that every run takes, since each costs a run about a microsecond.
 */
export interface RunEffects {
  /** The run waits for a slot: it goes on at `slot` (S21). */
  awaitSlot: undefined
  /** Starts the child, and its deadline where there is one. */
  startChild: { readonly timeoutMs: number | null }
  /** The slot is given back after the end. */
  announce: { readonly event: 'start' | 'end' }
  /** Reports the question as an update. */
  ask: { readonly request: PermissionRequest }
  /** Passes the stop on to the child; for a deadline the reason is `deadline`. */
  cancelChild: { readonly reason: string }
  /** At its end the run takes `give-up`; the deadline is armed with the child, the release's grace with the release. */
  armTimer: { readonly timer: 'grace'; readonly ms: number }
  /** It no longer fires; one that is not armed is left alone. */
  disarmTimer: { readonly timer: RunTimer }
  /** Keeps what is left of it (R9). */
  pauseTimer: { readonly timer: RunTimer }
  /** Goes on with what was left. */
  resumeTimer: { readonly timer: RunTimer }
  /** The outcome is final: the result is passed on, signal and timers are given back. */
  settleResult: { readonly outcome: RunOutcome }
  /** Frees what the child holds, within the grace. */
  releaseChild: { readonly graceMs: number }
  /** The record goes, and with it whatever timer is left. */
  forget: { readonly release: 'done' | 'failed' | 'none' }
}
/** The name of an effect. */
export type RunEffectName = keyof RunEffects
/** An effect as the machine asks for it. */
export type RunAction = { [Name in RunEffectName]: { type: Name; params: RunEffects[Name] } }[RunEffectName]

/** The names of all effects, for an engine that has to have each of them (R2). */
export const runEffectNames = [
  'awaitSlot',
  'startChild',
  'announce',
  'ask',
  'cancelChild',
  'armTimer',
  'disarmTimer',
  'pauseTimer',
  'resumeTimer',
  'settleResult',
  'releaseChild',
  'forget',
] as const satisfies readonly RunEffectName[]

/** A run's state as observers see it: JSON but for its two methods. */
export type RunSnapshot = Snapshot<undefined> & {
  /** The run's phase. */
  readonly value: RunStateValue
  /** As of this snapshot; JSON. */
  readonly context: RunMachineContext
  /** True in this state, or in one within it. */
  matches(value: unknown): boolean
  /** True where this event would move it. */
  can(event: RunEvent): boolean
}

/** The type of the machine and of the engine's logic, named so that declarations of embedding machines stay short. */
export interface RunLogic extends ActorLogic<RunSnapshot, RunEvent, RunInput, ActorSystem<any>, EventObject> {}
/** The type of `runMachine`, with its config in reach, for drawing it and for generating its paths. */
export interface RunMachine extends StateMachine<
  RunMachineContext,
  RunEvent,
  {},
  never,
  RunAction,
  never,
  never,
  RunStateValue,
  never,
  RunInput,
  unknown,
  EventObject,
  MetaObject,
  any
> {}

/** What XState sends to the parent of an actor that failed; the name stands for any child id. */
interface ChildErrorEvent {
  readonly type: 'xstate.error.actor.child'
}

const setupRun = setup({
  types: {} as { context: RunMachineContext; events: RunEvent | ChildErrorEvent; input: RunInput },
  actions: {
    noteStop: assign((args, params: { phase: 'starting' | 'running' }) => runDecisions.noteStop(args, params)),
    decide: assign((args) => runDecisions.decide(args)),
    awaitSlot: () => {},
    startChild: (_, _params: RunEffects['startChild']) => {},
    announce: (_, _params: RunEffects['announce']) => {},
    ask: (_, _params: RunEffects['ask']) => {},
    cancelChild: (_, _params: RunEffects['cancelChild']) => {},
    armTimer: (_, _params: RunEffects['armTimer']) => {},
    disarmTimer: (_, _params: RunEffects['disarmTimer']) => {},
    pauseTimer: (_, _params: RunEffects['pauseTimer']) => {},
    resumeTimer: (_, _params: RunEffects['resumeTimer']) => {},
    settleResult: (_, _params: RunEffects['settleResult']) => {},
    releaseChild: (_, _params: RunEffects['releaseChild']) => {},
    forget: (_, _params: RunEffects['forget']) => {},
  },
})

const announceStart = { type: 'announce', params: { event: 'start' } } as const
const decided = { target: '#run.settling.held', actions: 'decide' } as const
const neverStarted = { target: '#run.settling.held', actions: ['decide', announceStart] } as const
const cancelChild = {
  type: 'cancelChild',
  params: ({ event }: { event: RunEvent | ChildErrorEvent }) => ({
    reason: event.type === 'cancel' ? (event.reason ?? 'cancelled') : 'deadline',
  }),
} as const
const stopIn = (phase: 'starting' | 'running') =>
  ({ target: '#run.settling.draining', actions: [{ type: 'noteStop', params: { phase } }, cancelChild] }) as const

/**
 * The machine of one run. `createTestModel` of @xstate/graph takes it as it is (R3).
 * For reading and drawing; a run that works is started by a service.
 */
export const runMachine = setupRun.createMachine({
  id: 'run',
  context: ({ input }) => input,
  initial: 'validating',
  // A child actor that fails must not take the run with it; what it means for the run, its provider reports.
  on: { 'xstate.error.actor.*': {} },
  states: {
    validating: {
      initial: 'checking',
      states: {
        checking: {
          on: {
            accept: '#run.starting',
            wait: 'queued',
            reject: { target: '#run.disposed', actions: { type: 'forget', params: { release: 'none' } } },
            'abort-before-start': neverStarted,
          },
        },
        queued: {
          entry: 'awaitSlot',
          on: { slot: '#run.starting', 'abort-before-start': neverStarted },
        },
      },
    },
    starting: {
      entry: [{ type: 'startChild', params: ({ context }) => ({ timeoutMs: context.timeoutMs ?? null }) }, announceStart],
      on: {
        'start-failed': { target: 'disposed', actions: { type: 'forget', params: { release: 'none' } } },
        ready: 'running',
        settle: decided,
        reject: decided,
        cancel: stopIn('starting'),
        deadline: stopIn('starting'),
      },
    },
    running: {
      initial: 'active',
      on: { settle: decided, reject: decided, cancel: stopIn('running') },
      states: {
        active: {
          on: {
            // Not while a permission is pending: there the clock stands still (R9).
            deadline: stopIn('running'),
            ask: { target: 'awaitingPermission', actions: { type: 'ask', params: ({ event }) => ({ request: event.request }) } },
          },
        },
        awaitingPermission: {
          entry: { type: 'pauseTimer', params: { timer: 'deadline' } },
          on: { answer: { target: 'active', actions: { type: 'resumeTimer', params: { timer: 'deadline' } } } },
        },
      },
    },
    settling: {
      initial: 'draining',
      states: {
        draining: {
          entry: [
            { type: 'disarmTimer', params: { timer: 'deadline' } },
            { type: 'armTimer', params: ({ context }) => ({ timer: 'grace', ms: context.cancelGraceMs }) },
          ],
          on: { settle: decided, reject: decided, 'give-up': decided },
        },
        held: {
          entry: [
            { type: 'settleResult', params: ({ context }) => ({ outcome: context.outcome! }) },
            { type: 'announce', params: { event: 'end' } },
          ],
          on: { dispose: 'releasing' },
        },
        releasing: {
          entry: { type: 'releaseChild', params: ({ context }) => ({ graceMs: context.releaseGraceMs }) },
          on: {
            released: { target: '#run.disposed', actions: { type: 'forget', params: { release: 'done' } } },
            'release-failed': { target: '#run.disposed', actions: { type: 'forget', params: { release: 'failed' } } },
          },
        },
      },
    },
    disposed: { type: 'final' },
  },
}) as unknown as RunMachine

/**
 * The event by which a request to stop enters a run in this state: before the start there is nothing to cancel, once
 * settling there is nothing left to decide (`undefined`).
 */
export function stopEvent({ value }: RunSnapshot, reason?: string): RunEvent | undefined {
  const detail = reason === undefined ? {} : { reason }
  if (value === 'starting' || (typeof value === 'object' && 'running' in value)) return { type: 'cancel', ...detail }
  if (typeof value === 'object' && 'validating' in value) return { type: 'abort-before-start', ...detail }
  return undefined
}

/** True where a run has taken its end: nothing is left of it but the release of what its child holds. */
export function hasTakenItsEnd({ value }: RunSnapshot): boolean {
  return value === 'disposed' || (typeof value === 'object' && 'settling' in value && value.settling === 'releasing')
}

/** True for the events that compete to decide a run (R4). */
export function isCause(event: { readonly type: string }): boolean {
  return event.type === 'settle' || event.type === 'reject' || event.type === 'cancel' || event.type === 'deadline'
}
