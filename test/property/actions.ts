/**
 * What can happen to a service, as plain data: the words in which sequences are generated, printed and shrunk (K5).
 */

/** Which run is meant: the nth of those that live (from 85 on: of all that ever were), or the one whose own code acts. */
export type Who = number | 'self'

export type AnswerKind = 'text' | 'empty' | 'error' | 'garbage' | 'rejected'
export type ListenerType =
  | 'subagent/start'
  | 'subagent/update'
  | 'subagent/end'
  | 'subagent/provider-added'
  | 'subagent/provider-removed'
  | '*'
export type Manners = 'quiet' | 'throws' | 'rejects' | 'odd'

/** What a child does, and what its code does to others while the engine calls it. */
export interface Script {
  readonly deaf: boolean
  readonly cancelThrows: boolean
  readonly startThrows: boolean
  readonly release: 'at once' | 'by hand' | 'fails' | 'throws'
  /** An actor is made below the run. */
  readonly actor: boolean
  readonly onStart: readonly Action[]
  readonly onCancel?: Action
  readonly onDispose?: Action
}

export type Action =
  | {
      readonly do: 'start'
      readonly provider: number
      /** Whose child agent asks: a run's, one that is an actor of its own, or nobody's. */
      readonly from: Who | 'actor' | 'nobody'
      /** With the id of a run that lives. */
      readonly duplicate: boolean
      readonly signal: number | 'aborted' | undefined
      readonly timeoutMs: number | undefined
      readonly graceMs: number
      readonly releaseMs: number
      readonly script: Script
    }
  | { readonly do: 'cancel' | 'dispose'; readonly run: Who; readonly byEvent: boolean }
  | { readonly do: 'answer'; readonly run: Who; readonly with: AnswerKind }
  | { readonly do: 'ready' | 'text' | 'ask' | 'permit'; readonly run: Who }
  | { readonly do: 'release'; readonly run: Who; readonly fails: boolean }
  | { readonly do: 'advance'; readonly ms: number }
  | { readonly do: 'abort'; readonly signal: number }
  | { readonly do: 'stop parent' }
  | { readonly do: 'register'; readonly provider: number }
  | { readonly do: 'unregister'; readonly provider: number }
  /** Calls the disposer of the nth registration that ever was. */
  | { readonly do: 'undo'; readonly registration: number }
  | { readonly do: 'listen'; readonly type: ListenerType; readonly manners: Manners; readonly first?: Action }
  | { readonly do: 'unlisten'; readonly listener: number }
  | { readonly do: 'close'; readonly byEvent: boolean }

/** An action whose targets are settled: `run`, `parent`, `listener` and `registration` are indices, in the order of making. */
export interface Plan {
  readonly action: Action
  readonly run: number
  readonly parent: number
}

export interface Limits {
  readonly maxConcurrentRuns?: number
  readonly maxConcurrentPerProvider?: number
  readonly queue?: 'wait' | 'reject'
}

/** By the number in an action. The second has children that say when they are ready. */
export const providerNames = ['plain', 'slow', 'other'] as const

/** An action in a few words, for the counterexample. */
export function describe(action: Action): string {
  const parts = Object.entries(action).flatMap(([key, value]) => {
    if (key === 'do' || value === undefined || value === false || (Array.isArray(value) && value.length === 0)) return []
    if (key === 'script') return describeScript(value as Script)
    if (key === 'first') return [`first ${describe(value as Action)}`]
    return [value === true ? key : `${key}=${String(value)}`]
  })
  return `${action.do}(${parts.join(' ')})`
}

function describeScript({ onStart, onCancel, onDispose, release, ...flags }: Script): string[] {
  return [
    ...Object.entries(flags).flatMap(([flag, value]) => (value ? [flag] : [])),
    ...(release === 'at once' ? [] : [`release ${release}`]),
    ...(onStart.length > 0 ? [`onStart ${onStart.map(describe).join(' ')}`] : []),
    ...(onCancel ? [`onCancel ${describe(onCancel)}`] : []),
    ...(onDispose ? [`onDispose ${describe(onDispose)}`] : []),
  ]
}
