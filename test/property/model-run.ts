/**
 * One run as the model sees it: plain data, and the contract's table of what an event does to it (R1, R4, R7–R12).
 * Written from the contract, without a look at how the engine does it.
 */
import type { AnswerKind, Script } from './actions.ts'

export type Phase = 'checking' | 'queued' | 'starting' | 'active' | 'asking' | 'draining' | 'held' | 'releasing' | 'disposed'
export type Cause = 'settle' | 'reject' | 'cancel' | 'deadline'
export type Event =
  | Cause
  | 'accept'
  | 'wait'
  | 'slot'
  | 'abort'
  | 'start-failed'
  | 'ready'
  | 'give-up'
  | 'ask'
  | 'answer'
  | 'dispose'
  | 'released'
  | 'release-failed'
export type TimerName = 'deadline' | 'grace' | 'release'

export interface Result {
  /** What `result` comes to: a stop reason, or a rejection with this code. */
  readonly stopReason: string
  readonly rejected?: string
  readonly text: string
  readonly failure?: string
}

export interface Timer {
  readonly run: ModelRun | 'close'
  readonly name: TimerName
  readonly dueAt: number
  readonly made: number
}

/** What a start is asked with. */
export interface Asked {
  readonly index: number
  readonly id: string
  readonly agentId: string
  readonly provider: string
  readonly signalsReady: boolean
  readonly script: Script
  readonly startedAt: number
  readonly timeoutMs: number | undefined
  readonly graceMs: number
  readonly releaseMs: number
  /** The agent that is an actor, by the number of its making. */
  readonly parentActor: number | undefined
  readonly parent: ModelRun | undefined
}

export interface ModelRun extends Asked {
  readonly children: Set<ModelRun>
  phase: Phase
  /** The start of its provider was called; it has a child. */
  reached: boolean
  child: boolean
  /** The caller has its handle. */
  handed: boolean
  stop: { readonly by: 'cancel' | 'deadline'; readonly phase: 'starting' | 'running' } | undefined
  end: 'given up' | 'answered' | 'never started' | undefined
  /** What the child's promise came to, and the part of it that the run has taken. */
  answered: AnswerKind | 'cancelled' | undefined
  watched: boolean
  answer: AnswerKind | 'cancelled' | undefined
  result: Result | undefined
  text: string
  updates: number
  heldUpdates: string[]
  open: boolean
  /** Open questions: told of, and in the hand of who can answer. */
  asks: { published: boolean; handed: boolean }[]
  signalledReady: boolean
  signalled: boolean
  /** Told to stop; and given up because its parent ended, not because it was deaf. */
  stopping: boolean
  unasked: boolean
  cancels: number
  disposals: number
  releaseEnded: boolean
  late: number
  dropped: number
  /** What `dispose()` comes to: asked for, resolved, or rejected with this code. */
  disposal: 'none' | 'waiting' | 'resolved' | 'failed' | 'RELEASE_TIMEOUT'
  /** `release()` of the child was told to fail. */
  releaseFault: boolean
  readonly timers: Map<TimerName, Timer | { readonly left: number }>
  readonly mailbox: Event[]
  busy: boolean
  heldEvents: Event[] | undefined
  telling: string[] | undefined
  onEnd: (() => void)[]
}

export function newRun(asked: Asked): ModelRun {
  return {
    ...asked,
    children: new Set(),
    phase: 'checking',
    reached: false,
    child: false,
    handed: false,
    stop: undefined,
    end: undefined,
    answered: undefined,
    watched: false,
    answer: undefined,
    result: undefined,
    text: '',
    updates: 0,
    heldUpdates: [],
    open: false,
    asks: [],
    signalledReady: false,
    signalled: false,
    stopping: false,
    unasked: false,
    cancels: 0,
    disposals: 0,
    releaseEnded: false,
    late: 0,
    dropped: 0,
    disposal: 'none',
    releaseFault: false,
    timers: new Map(),
    mailbox: [],
    busy: false,
    heldEvents: undefined,
    telling: undefined,
    onEnd: [],
  }
}

export const isCause = (event: Event): event is Cause =>
  event === 'settle' || event === 'reject' || event === 'cancel' || event === 'deadline'
export const isUnsettled = ({ result }: ModelRun): boolean => result === undefined

/** The event as which a wish to stop comes to a run of this phase. */
export function stopEvent(phase: Phase): Event | undefined {
  if (phase === 'checking' || phase === 'queued') return 'abort'
  return phase === 'starting' || phase === 'active' || phase === 'asking' ? 'cancel' : undefined
}

/** Where an event takes a run, or undefined where it moves nothing. */
export function target(phase: Phase, event: Event): Phase | undefined {
  switch (phase) {
    case 'checking':
    case 'queued':
      if (event === 'abort') return 'held'
      if (event === 'wait' && phase === 'checking') return 'queued'
      return event === (phase === 'checking' ? 'accept' : 'slot') ? 'starting' : undefined
    case 'starting':
    case 'active':
    case 'asking':
      if (event === 'settle' || event === 'reject') return 'held'
      if (event === 'cancel' || (event === 'deadline' && phase !== 'asking')) return 'draining'
      if (phase === 'starting') return event === 'ready' ? 'active' : event === 'start-failed' ? 'disposed' : undefined
      return phase === 'active' && event === 'ask' ? 'asking' : phase === 'asking' && event === 'answer' ? 'active' : undefined
    case 'draining':
      return event === 'settle' || event === 'reject' || event === 'give-up' ? 'held' : undefined
    case 'held':
      return event === 'dispose' ? 'releasing' : undefined
    case 'releasing':
      return event === 'released' || event === 'release-failed' ? 'disposed' : undefined
    default:
      return undefined
  }
}

/** What a run comes to: the first cause decides, and with it which output counts. */
export function resultOf({ stop, end, answer, text, unasked }: ModelRun): Result {
  if (end === 'never started') return { stopReason: 'aborted', text: '' }
  const given = answer === 'text' ? 'answer' : ''
  if (stop) {
    const none = stop.by === 'cancel' && stop.phase === 'starting'
    return {
      stopReason: stop.by === 'cancel' ? 'aborted' : 'timed-out',
      text: none ? '' : given !== '' || answer === 'empty' ? given : text,
      ...(end === 'given up' && !unasked && { failure: 'DEAF' }),
    }
  }
  if (answer === 'rejected') return { stopReason: 'error', rejected: 'the line broke', text: '' }
  if (answer === 'garbage') return { stopReason: 'error', rejected: 'INVALID_RESULT', text: '' }
  if (answer === 'error') return { stopReason: 'error', text, failure: 'MODEL_ERROR' }
  return { stopReason: answer === 'cancelled' ? 'aborted' : 'completed', text: answer === 'cancelled' ? text : given }
}
