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
  /** The machine's own id, which targets like `#id.state` begin with. */
  readonly id: string
}
/** A state of a chart, with the states in it. */
export interface ChartState {
  /** Absent where the states in it tell: with some it is compound, without atomic. */
  readonly type?: 'atomic' | 'compound' | 'parallel' | 'final' | 'history'
  /** Name of the state that it begins in. */
  readonly initial?: string
  /** What the author wrote of it. */
  readonly description?: string
  /** Names of the actions on the way in. */
  readonly entry?: readonly string[]
  /** Names of the actions on the way out. */
  readonly exit?: readonly string[]
  readonly invoke?: readonly { readonly src: string; readonly id?: string }[]
  /** By event, which may have wildcards: the edges that are tried, first come first. */
  readonly on?: { readonly [event: string]: readonly ChartTransition[] }
  /** By delay, in milliseconds or by its name. */
  readonly after?: { readonly [delay: string]: readonly ChartTransition[] }
  /** Those that need no event. */
  readonly always?: readonly ChartTransition[]
  readonly states?: { readonly [name: string]: ChartState }
}
/** An edge of a chart; without `target` it stays where it is. */
export interface ChartTransition {
  /** States by name or `#id`; several where it leads into parallel regions. */
  readonly target?: readonly string[]
  /** Names of what it does on the way, in order. */
  readonly actions?: readonly string[]
  /** Name of the condition under which it is taken. */
  readonly guard?: string
}

/** Why a run failed, without the words: those only with `content`. */
export interface JournalFailure {
  /** A code of this package, or a provider's own. */
  readonly code: string
  /** Phase of the run in which it failed. */
  readonly phase?: string
  /** True where the same request may succeed later. */
  readonly retryable?: boolean
  /** With `content` only. */
  readonly message?: string
}

/** What is told of an update. Without `content` a text is its length, a plan its states, a permission its kinds of answers. */
export interface JournalUpdate {
  /** Its kind, one of `SubagentUpdateMap`. */
  readonly type: SubagentUpdate['type']
  /** Its own number and time, of `run.updates`. */
  readonly seq: number
  /** Milliseconds since the epoch, by the service's clock. */
  readonly at: number
  /** Of a text or a thought, in UTF-16 units. */
  readonly length?: number
  /** Of a call or a result: pairs the two. */
  readonly toolCallId?: string
  /** Of a call: the tool. */
  readonly name?: string
  /** Of a result: `ok` or `error`. */
  readonly status?: string
  /** Of a usage: what the run has used so far. */
  readonly usage?: Usage
  /** Of a plan: its entries, in order; their words with `content` only. */
  readonly plan?: readonly { readonly status: string; readonly content?: string }[]
  /** Of a permission: the question; title and names of the answers with `content` only. */
  readonly permission?: {
    readonly id: string
    readonly toolName?: string
    readonly title?: string
    readonly options: readonly { readonly id: string; readonly kind: string; readonly name?: string }[]
  }
  /** With `content` only. */
  readonly text?: string
  /** Of a call, with `content` only. */
  readonly input?: Json
  /** With `content` only: what the provider reported in its own format. */
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
  /** From 0; where it jumps, an entry `dropped` says by how many. */
  readonly seq: number
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Which entry it is: decides on the fields beside these. */
  readonly type: Type
} & EntryMap[Type]
/** Any entry of a journal: JSON, told apart by `type`. */
export type JournalEntry = { [Type in JournalEntryType]: JournalEntryOf<Type> }[JournalEntryType]
/** An entry that has no number and no time yet. */
export type EntryDraft = { [Type in JournalEntryType]: { readonly type: Type } & EntryMap[Type] }[JournalEntryType]
