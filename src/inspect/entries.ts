/**
 * The vocabulary of a run journal: what is told of a registry, its runs and their children, as JSON (I3, I4).
 *
 * Types only, without a module of Node, for whatever shows a journal: a page in a browser, a program that reads a file.
 * Actors go by `actor`, the session id of XState, which is unique in a journal; a run id may come again once its run is gone.
 */
import type { ContentBlock, Json, SubagentCapabilities, SubagentUpdate, Usage } from '../types.ts'

export const journalVersion = 1

/** What an actor is here; `other` for those that a child made for itself. */
export type ActorKind = 'registry' | 'run' | 'agent' | 'acp-process' | 'other'
/** What an actor has come to, as XState has it. */
export type ActorStatus = 'active' | 'done' | 'error' | 'stopped'
/** A state as XState writes it: a name, or the names of regions with the states in them. */
export type StateValue = string | { readonly [region: string]: StateValue }

/** A chart, as much of a machine's config as is drawn: names of states, events, actions, guards and actors. */
export interface Chart extends ChartState {
  readonly id: string
}
/** A state of a chart, with the states in it. */
export interface ChartState {
  readonly type?: 'atomic' | 'compound' | 'parallel' | 'final' | 'history'
  readonly initial?: string
  readonly description?: string
  readonly entry?: readonly string[]
  readonly exit?: readonly string[]
  readonly invoke?: readonly { readonly src: string; readonly id?: string }[]
  readonly on?: { readonly [event: string]: readonly ChartTransition[] }
  readonly after?: { readonly [delay: string]: readonly ChartTransition[] }
  readonly always?: readonly ChartTransition[]
  readonly states?: { readonly [name: string]: ChartState }
}
/** An edge of a chart; without `target` it stays where it is. */
export interface ChartTransition {
  readonly target?: readonly string[]
  readonly actions?: readonly string[]
  readonly guard?: string
}

/** Why a run failed, without the words: those only with `content`. */
export interface JournalFailure {
  readonly code: string
  readonly phase?: string
  readonly retryable?: boolean
  readonly message?: string
}

/** What is told of an update. Without `content` a text is its length, a plan its states, a permission its kinds of answers. */
export interface JournalUpdate {
  readonly type: SubagentUpdate['type']
  /** Its own number and time, of `run.updates`. */
  readonly seq: number
  readonly at: number
  /** Of a text or a thought, in UTF-16 units. */
  readonly length?: number
  readonly toolCallId?: string
  readonly name?: string
  readonly status?: string
  readonly usage?: Usage
  readonly plan?: readonly { readonly status: string; readonly content?: string }[]
  readonly permission?: {
    readonly id: string
    readonly toolName?: string
    readonly title?: string
    readonly options: readonly { readonly id: string; readonly kind: string; readonly name?: string }[]
  }
  /** With `content` only. */
  readonly text?: string
  readonly input?: Json
  readonly raw?: Json
}

interface EntryMap {
  /** The first of every journal. */
  journal: { readonly version: typeof journalVersion; readonly content: boolean }
  /** Before the first actor that has it. */
  chart: { readonly chart: string; readonly config: Chart }
  /** There is an actor. Also how one that is live is told to somebody who comes late: with its state as it is. */
  actor: {
    readonly actor: string
    readonly parent?: string
    readonly kind: ActorKind
    /** Of a run its run id, of an agent its agent id. */
    readonly name: string
    /** The key of its chart; absent where it has none, or too large a one. */
    readonly chart?: string
    readonly status: ActorStatus
    readonly value?: StateValue
    /** When it was first seen, where that is not `at`. */
    readonly since?: number
    /** The run that it is, or that it works for: that run's actor. */
    readonly run?: string
    /** Of a run. */
    readonly provider?: string
    readonly label?: string
    /** The actor of the run whose child started this one. */
    readonly parentRun?: string
    readonly timeoutMs?: number
  }
  /** An actor was sent something. */
  event: {
    readonly actor: string
    readonly event: string
    /** The actor that sent it; absent where it came from outside. */
    readonly source?: string
    /** Of a start that was refused: an error code of this package. */
    readonly code?: string
    /** With `content` only: what the event carried. */
    readonly data?: Json
  }
  /** An actor has taken an event. The state is the one after it, also where nothing changed. */
  snapshot: { readonly actor: string; readonly event: string; readonly status: ActorStatus; readonly value?: StateValue }
  provider: { readonly provider: string; readonly added: boolean; readonly capabilities?: SubagentCapabilities }
  start: { readonly actor: string; readonly runId: string; readonly agent: string; readonly provider: string; readonly label?: string }
  update: { readonly actor: string; readonly update: JournalUpdate }
  end: {
    readonly actor: string
    readonly stopReason: string
    /** From the call of `start` to settlement. */
    readonly durationMs: number
    readonly failure?: JournalFailure
    readonly usage?: Usage
    /** With `content` only. */
    readonly output?: readonly ContentBlock[]
  }
  /** So many entries are missing here; the actors that are live follow. */
  dropped: { readonly count: number }
}
/** The `type` of an entry. */
export type JournalEntryType = keyof EntryMap
/** `seq` counts from 0; `at` is milliseconds since the epoch. */
export type JournalEntryOf<Type extends JournalEntryType> = {
  readonly seq: number
  readonly at: number
  readonly type: Type
} & EntryMap[Type]
/** Any entry of a journal: JSON, told apart by `type`. */
export type JournalEntry = { [Type in JournalEntryType]: JournalEntryOf<Type> }[JournalEntryType]
/** An entry that has no number and no time yet. */
export type EntryDraft = { [Type in JournalEntryType]: { readonly type: Type } & EntryMap[Type] }[JournalEntryType]
