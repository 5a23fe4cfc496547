/**
 * The machine of one process that speaks the Agent Client Protocol: how far it has come, and what moves it on (A2).
 *
 * Owns: the states, the edges, which failure was the first. Does not own: bytes, requests, timers and signals
 * (src/providers/acp, src/processes), which send these events when they happen and begin the teardown when the actor reads
 * `closing`.
 *
 * Invariants: driven by events alone, no invoke, after or always, so that its chart is drawn and explored as it stands; the
 * context is JSON, made of input and of the event that moved the state; there is one way out, through `closing`, but for a
 * process that is handed over to another run: one that goes on with its session (A16), or the first of one that was kept
 * ready (A24).
 */
import { assign, setup } from 'xstate'
import type { ActorLogic, ActorRef, ActorSystem, EventObject, MetaObject, Snapshot, StateMachine } from 'xstate'
import { rememberMachine } from './steps.ts'

/** What moves the actor of a child process that speaks ACP. The provider sends them. */
export type AcpProcessEvent =
  | { readonly type: 'spawned'; readonly pid: number }
  /** The agent answered `initialize` with the one protocol version that is spoken here. */
  | { readonly type: 'initialized'; readonly agent?: string }
  /** There is a session, set up as was asked. */
  | { readonly type: 'opened'; readonly sessionId: string }
  | { readonly type: 'prompt' }
  /** The prompt was answered, with whatever. */
  | { readonly type: 'answered' }
  /** It ended, or could not be started. */
  | { readonly type: 'exited'; readonly code?: number; readonly signal?: string }
  /** A stage failed: a timeout, a broken protocol, a login that is wanted. */
  | { readonly type: 'fail'; readonly code: string }
  | { readonly type: 'close' }
  /** The process goes on under another run; this actor has nothing to tear down. */
  | { readonly type: 'hand-over' }
  /** Nothing of the process is left. */
  | { readonly type: 'closed' }

/** Whose process it is, and what runs in it. */
export interface AcpProcessInput {
  /** Absent while no run has it (A24). */
  readonly runId?: string
  /** The program, without its arguments. */
  readonly command: string
}

/** How far a process has come, while it lives. */
export type AcpProcessStage = 'spawning' | 'initializing' | 'opening' | 'ready' | 'prompting'
/** A stage, or the end: `closing` while the process is torn down, `closed` when nothing of it is left. */
export type AcpProcessStateValue = AcpProcessStage | 'closing' | 'closed'

/** What is known of the process, as JSON. */
export interface AcpProcessContext extends AcpProcessInput {
  /** Process id; absent until it is spawned. */
  readonly pid?: number
  /** Name and version that the agent gave of itself in `initialize`; absent where it gave none. */
  readonly agent?: string
  /** The agent's id of the session that is open; absent before. */
  readonly sessionId?: string
  /** What ended it, where nobody asked it to end. */
  readonly end?: { readonly stage: AcpProcessStage; readonly code?: string; readonly exitCode?: number; readonly signal?: string }
}

/** A process's state as observers see it: JSON but for its two methods. */
export type AcpProcessSnapshot = Snapshot<undefined> & {
  /** How far it has come. */
  readonly value: AcpProcessStateValue
  /** What has become known by now. */
  readonly context: AcpProcessContext
  /** True in this state, or in one within it. */
  matches(value: AcpProcessStateValue): boolean
  /** True where this event would move it. */
  can(event: AcpProcessEvent): boolean
}

/** The type of the logic, named so that declarations of machines that embed a process stay short. */
export interface AcpProcessLogic extends ActorLogic<AcpProcessSnapshot, AcpProcessEvent, AcpProcessInput, ActorSystem<any>, EventObject> {}

/** The same machine with its config in reach, for drawing it and for generating its paths. */
export interface AcpProcessMachine extends StateMachine<
  AcpProcessContext,
  AcpProcessEvent,
  {},
  never,
  never,
  never,
  never,
  AcpProcessStateValue,
  string,
  AcpProcessInput,
  {},
  EventObject,
  MetaObject,
  any
> {}

/** The actor of a child process, below that of its run. */
export type AcpProcessActorRef = ActorRef<AcpProcessSnapshot, AcpProcessEvent>

type Noted = { readonly event: AcpProcessEvent }

/** What an edge writes into the context: pure, from the event that took it. */
export const acpProcessDecisions = {
  notePid: ({ event }: Noted): Partial<AcpProcessContext> => (event.type === 'spawned' ? { pid: event.pid } : {}),
  noteAgent: ({ event }: Noted): Partial<AcpProcessContext> =>
    event.type === 'initialized' && event.agent !== undefined ? { agent: event.agent } : {},
  noteSession: ({ event }: Noted): Partial<AcpProcessContext> => (event.type === 'opened' ? { sessionId: event.sessionId } : {}),
  noteEnd: ({ event }: Noted, { stage }: { stage: AcpProcessStage }): Partial<AcpProcessContext> => ({
    end: { stage, ...endOf(event) },
  }),
} as const

const setupProcess = setup({
  types: { context: {} as AcpProcessContext, events: {} as AcpProcessEvent, input: {} as AcpProcessInput },
  actions: {
    notePid: assign((args) => acpProcessDecisions.notePid(args)),
    noteAgent: assign((args) => acpProcessDecisions.noteAgent(args)),
    noteSession: assign((args) => acpProcessDecisions.noteSession(args)),
    noteEnd: assign((args, params: { stage: AcpProcessStage }) => acpProcessDecisions.noteEnd(args, params)),
  },
})

function endOf(event: AcpProcessEvent): Omit<NonNullable<AcpProcessContext['end']>, 'stage'> {
  if (event.type === 'fail') return { code: event.code }
  if (event.type !== 'exited') return {}
  return { ...(event.code !== undefined && { exitCode: event.code }), ...(event.signal !== undefined && { signal: event.signal }) }
}

/** The ways out of a stage, the same in each. */
const endsIn = <Stage extends AcpProcessStage>(stage: Stage) =>
  ({
    exited: { target: 'closing', actions: { type: 'noteEnd', params: { stage } } },
    fail: { target: 'closing', actions: { type: 'noteEnd', params: { stage } } },
    close: 'closing',
  }) as const

/** The machine of one ACP process. For reading and drawing; a process that works is started by the provider. */
export const acpProcessMachine: AcpProcessMachine = setupProcess.createMachine({
  id: 'acp',
  context: ({ input }) => input,
  initial: 'spawning',
  states: {
    spawning: { on: { spawned: { target: 'initializing', actions: 'notePid' }, ...endsIn('spawning') } },
    initializing: { on: { initialized: { target: 'opening', actions: 'noteAgent' }, ...endsIn('initializing') } },
    opening: { on: { opened: { target: 'ready', actions: 'noteSession' }, 'hand-over': 'closed', ...endsIn('opening') } },
    ready: { on: { prompt: 'prompting', 'hand-over': 'closed', ...endsIn('ready') } },
    prompting: { on: { answered: 'ready', ...endsIn('prompting') } },
    closing: { on: { closed: 'closed' } },
    closed: { type: 'final' },
  },
}) as unknown as AcpProcessMachine

/** What a process's actor runs: the machine remembered, since working each edge out anew was most of what a start costs the host. */
export const acpProcessLogic: AcpProcessLogic = rememberMachine(acpProcessMachine, acpProcessDecisions)
