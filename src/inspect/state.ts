/**
 * What is known of a registry at one point of its journal: a pure fold over the entries, without a module of Node, for pages
 * and programs alike.
 *
 * Invariants: `applyEntry` changes nothing that it is given; an actor or a run that an entry leaves alone stays the same
 * object; an entry that tells of an actor nobody introduced is counted by `seq` and changes nothing else.
 */
import type { ActorKind, ActorStatus, Chart, JournalEntry, JournalEntryOf, JournalFailure, JournalUpdate, StateValue } from './entries.ts'
import type { ContentBlock, SubagentCapabilities, Usage } from '../types.ts'
import { Table } from './table.ts'

/** One state on an actor's way through its chart. */
export interface PathStep {
  /** The state that it was in from then on. */
  readonly value: StateValue
  /** When it was entered. */
  readonly at: number
  /** The event that led there; absent for the state in which the actor was first seen. */
  readonly event?: string
}

/** An actor as the entries so far have it. Times are milliseconds since the epoch. */
export interface JournalActor {
  /** By which it is known here: XState's session id, unique in a journal. */
  readonly actor: string
  /** Session id of the actor that made it; absent at the top, or where that is not in the journal. */
  readonly parent?: string
  /** Which machine of this package it runs; `other` for what a child made for itself. */
  readonly kind: ActorKind
  /** Of a run its run id, of an agent its agent id, else its id in XState. */
  readonly name: string
  /** Key of its chart in `JournalState.charts`; absent where it has none, or too large a one. */
  readonly chart?: string
  /** The actor of the run that it is, or works for. */
  readonly run?: string
  /** `lost`: entries are missing, and what became of it is not known. */
  readonly status: ActorStatus | 'lost'
  /** The state that it is in; absent where its logic has none. */
  readonly value?: StateValue
  /** When it was first seen. */
  readonly since: number
  /** When it was no longer active. */
  readonly endedAt?: number
  /** The last event that it was sent, and by whom. */
  readonly last?: { readonly event: string; readonly at: number; readonly source?: string }
  /** Its way through its chart so far, the oldest first: at most `pathLimit` steps. */
  readonly path: readonly PathStep[]
  /** Steps that the limit dropped. */
  readonly droppedSteps: number
}

/** A run as the entries so far have it. Times are milliseconds since the epoch. */
export interface JournalRun {
  /** The run's actor, by which it is known here. */
  readonly actor: string
  /** Its id with the service; may come again once the run is gone. */
  readonly runId: string
  /** The name that its provider was registered under at the start. */
  readonly provider: string
  /** The request's own. */
  readonly label?: string
  /** The child agent's id, once there is one. */
  readonly agent?: string
  /** The actor of the run whose child started this one. */
  readonly parentRun?: string
  /** Actors of the runs that this one's child started, in order. */
  readonly childRuns: readonly string[]
  /** When its start was asked for. */
  readonly since: number
  /** `subagent/start`. */
  readonly startedAt?: number
  /** `subagent/end`. */
  readonly endedAt?: number
  /** Absent while it runs, and where its result was rejected. */
  readonly stopReason?: string
  /** From the call of `start` to settlement. */
  readonly durationMs?: number
  /** Why it did not complete, where it ended so. */
  readonly failure?: JournalFailure
  /** What it has used so far, or in all. */
  readonly usage?: Usage
  /** The whole answer, once it has ended, of a journal with `content`. */
  readonly output?: readonly ContentBlock[]
  /** Its deadline, in milliseconds from the start of the child; absent without one. */
  readonly timeoutMs?: number
  /** Why its start was refused: an error code. */
  readonly refused?: string
  /** Updates by type. */
  readonly updates: { readonly [type: string]: number }
  /** The newest, whatever its kind. */
  readonly lastUpdate?: JournalUpdate
  /** The tool call that is open, if one is. */
  readonly tool?: { readonly toolCallId: string; readonly name: string; readonly at: number }
  /** The permission that is waited for, if one is. */
  readonly permission?: NonNullable<JournalUpdate['permission']>
}

/** What all entries up to one come to: charts, providers, actors, runs. Never changed in place. */
export interface JournalState {
  /** Of the last entry; -1 before the first. */
  readonly seq: number
  /** When the last entry was made; 0 before the first. */
  readonly at: number
  /** When the first entry was made. */
  readonly since: number
  /** True where prompts, texts and tool input may be in the entries. */
  readonly content: boolean
  /** By the key that actors have in `chart`; equal charts are kept once. */
  readonly charts: { readonly [chart: string]: Chart }
  /** Those that are registered now, by name. */
  readonly providers: { readonly [provider: string]: SubagentCapabilities | undefined }
  /** By `JournalActor.actor`, in the order in which they were first seen. */
  readonly actors: Table<JournalActor>
  /** By `JournalRun.actor`, in the order of their starts. */
  readonly runs: Table<JournalRun>
  /** Runs that nobody's child started, in order. */
  readonly rootRuns: readonly string[]
  /** Entries that are missing. */
  readonly dropped: number
}

export const pathLimit = 500

/** The state before the first entry; the beginning of a fold by `applyEntry`. */
export const emptyJournalState: JournalState = {
  seq: -1,
  at: 0,
  since: 0,
  content: false,
  charts: {},
  providers: {},
  actors: Table.empty(),
  runs: Table.empty(),
  rootRuns: [],
  dropped: 0,
}

/** The state after one more entry. */
export function applyEntry(state: JournalState, entry: JournalEntry): JournalState {
  const { seq, at } = entry
  const next = { ...state, seq, at: Math.max(at, state.at), since: state.seq < 0 ? at : state.since }
  switch (entry.type) {
    case 'journal':
      return { ...next, content: entry.content }
    case 'chart':
      return { ...next, charts: { ...state.charts, [entry.chart]: entry.config } }
    case 'provider':
      return { ...next, providers: withProvider(state.providers, entry) }
    case 'actor':
      return withActor(next, entry)
    case 'event':
      return withEvent(next, entry)
    case 'snapshot':
      return withSnapshot(next, entry)
    case 'start':
    case 'update':
    case 'end': {
      const run = state.runs.get(entry.actor)
      return run ? { ...next, runs: state.runs.set(entry.actor, runAfter(run, entry)) } : next
    }
    case 'dropped':
      return { ...next, dropped: state.dropped + entry.count, actors: withLost(state.actors) }
    default:
      // Of a later version.
      return next
  }
}

/** The state after the first `count` of these entries. @default all of them */
export function journalStateAt(entries: readonly JournalEntry[], count: number = entries.length): JournalState {
  let state = emptyJournalState
  for (let index = 0; index < count && index < entries.length; index++) state = applyEntry(state, entries[index]!)
  return state
}

function withProvider(providers: JournalState['providers'], { provider, added, capabilities }: JournalEntryOf<'provider'>) {
  const { [provider]: _, ...others } = providers
  return added ? { ...others, [provider]: capabilities } : others
}

function withActor(state: JournalState, entry: JournalEntryOf<'actor'>): JournalState {
  const { actor, parent, kind, name, chart, status, value, run, at } = entry
  const since = entry.since ?? at
  const known = state.actors.get(actor)
  const seen: JournalActor = {
    actor,
    kind,
    name,
    status,
    since,
    path: known?.path ?? [],
    droppedSteps: known?.droppedSteps ?? 0,
    ...(parent !== undefined && { parent }),
    ...(chart !== undefined && { chart }),
    ...(run !== undefined && { run }),
    ...(value !== undefined && { value }),
    ...(known?.last && { last: known.last }),
    ...(status !== 'active' && { endedAt: at }),
  }
  const next = { ...state, actors: state.actors.set(actor, step(seen, value, at)) }
  return kind === 'run' && !state.runs.get(actor) ? withRun(next, entry, since) : next
}

function withRun(state: JournalState, entry: JournalEntryOf<'actor'>, since: number): JournalState {
  const { actor, name: runId, provider = '', label, parentRun, timeoutMs } = entry
  const run: JournalRun = {
    actor,
    runId,
    provider,
    since,
    childRuns: [],
    updates: {},
    ...(label !== undefined && { label }),
    ...(parentRun !== undefined && { parentRun }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  }
  const runs = state.runs.set(actor, run)
  const above = parentRun === undefined ? undefined : runs.get(parentRun)
  if (!above) return { ...state, runs, rootRuns: [...state.rootRuns, actor] }
  return { ...state, runs: runs.set(above.actor, { ...above, childRuns: [...above.childRuns, actor] }) }
}

function withEvent(state: JournalState, { actor: key, event, source, code, at }: JournalEntryOf<'event'>): JournalState {
  const actor = state.actors.get(key)
  if (!actor) return state
  const last = { event, at, ...(source !== undefined && { source }) }
  const next = { ...state, actors: state.actors.set(key, { ...actor, last }) }
  const run = code === undefined ? undefined : state.runs.get(key)
  return run ? { ...next, runs: state.runs.set(key, { ...run, refused: code! }) } : next
}

function withSnapshot(state: JournalState, { actor: key, event, status, value, at }: JournalEntryOf<'snapshot'>): JournalState {
  const actor = state.actors.get(key)
  if (!actor) return state
  const seen = { ...actor, status, ...(value !== undefined && { value }), ...(status !== 'active' && { endedAt: actor.endedAt ?? at }) }
  const next = { ...state, actors: state.actors.set(key, step(seen, value, at, event)) }
  const run = state.runs.get(key)
  // Whatever else it does, a run that has left that state waits for no answer.
  if (!run?.permission || stateName(value) === 'running.awaitingPermission') return next
  const { permission: _, ...answered } = run
  return { ...next, runs: state.runs.set(key, answered) }
}

function step(actor: JournalActor, value: StateValue | undefined, at: number, event?: string): JournalActor {
  if (value === undefined) return actor
  const before = actor.path.at(-1)
  if (before && stateName(before.value) === stateName(value)) return actor
  const path = [...actor.path, { value, at, ...(event !== undefined && { event }) }]
  if (path.length <= pathLimit) return { ...actor, path }
  return { ...actor, path: path.slice(1), droppedSteps: actor.droppedSteps + 1 }
}

function runAfter(run: JournalRun, entry: JournalEntryOf<'start'> | JournalEntryOf<'update'> | JournalEntryOf<'end'>): JournalRun {
  if (entry.type === 'start') return { ...run, startedAt: entry.at, agent: entry.agent }
  if (entry.type === 'update') return withUpdate(run, entry.update)
  const { at, stopReason, durationMs, failure, usage, output } = entry
  const { tool: _, permission: __, ...over } = run
  return {
    ...over,
    endedAt: at,
    stopReason,
    durationMs,
    ...(failure && { failure }),
    ...(usage && { usage }),
    ...(output && { output }),
  }
}

function withUpdate(run: JournalRun, update: JournalUpdate): JournalRun {
  const { type, toolCallId, name, usage, permission } = update
  const counted: JournalRun = { ...run, updates: { ...run.updates, [type]: (run.updates[type] ?? 0) + 1 }, lastUpdate: update }
  if (usage) return { ...counted, usage }
  if (permission) return { ...counted, permission }
  if (type === 'tool-call' && toolCallId !== undefined) return { ...counted, tool: { toolCallId, name: name ?? '', at: update.at } }
  if (type !== 'tool-result' || counted.tool?.toolCallId !== toolCallId) return counted
  const { tool: _, ...idle } = counted
  return idle
}

function withLost(actors: Table<JournalActor>): Table<JournalActor> {
  let next = actors
  for (const actor of actors) if (actor.status === 'active') next = next.set(actor.actor, { ...actor, status: 'lost' })
  return next
}

/** `running.active`; regions side by side are joined by commas; `''` where there is none. */
export function stateName(value: StateValue | undefined): string {
  if (value === undefined) return ''
  if (typeof value === 'string') return value
  return Object.entries(value)
    .map(([region, inner]) => `${region}.${stateName(inner)}`)
    .join(', ')
}
