/** What the page knows and what a person has chosen: signals, which the views read. */
import { batch, computed, signal } from '@preact/signals'
import type { JournalEntry } from '../../entries.ts'
import { emptyJournalState } from '../../state.ts'
import type { JournalState } from '../../state.ts'
import type { ChartLayout, PageHello, PagePermission } from '../protocol.ts'
import { History } from './model/history.ts'
import { countGroups, rowsOf } from './model/rows.ts'
import type { Filter } from './model/rows.ts'
import type { Group } from './model/standing.ts'

export type Connection = 'connecting' | 'live' | 'ended' | 'lost'
export const tabs = ['overview', 'chart', 'sequence', 'updates'] as const
export type Tab = (typeof tabs)[number]

export const connection = signal<Connection>('connecting')
export const hello = signal<PageHello | undefined>(undefined)
/** The state that is shown: the last, or, of a recording, the one that the slider is at. */
export const state = signal<JournalState>(emptyJournalState)
/** How many entries led to it, and how many there are. */
export const shownCount = signal(0)
export const totalCount = signal(0)
/** Entries that went, for others to come. */
export const forgotten = signal(0)
/** Entries that came and are not read yet. */
export const unread = signal(0)
export const layouts = signal<ReadonlyMap<string, ChartLayout>>(new Map())
export const questions = signal<readonly PagePermission[]>([])
/** By the journal's clock; moves while something is live. */
export const now = signal(0)

/** Of a recording: how many entries the slider stands after, and the moment; at the end where undefined. */
const place = signal<number | undefined>(undefined)
export const moment = signal<number | undefined>(undefined)

export const selected = signal<string | undefined>(undefined)
export const tab = signal<Tab>('overview')
export const filter = signal<Filter>({ text: '', provider: '', groups: new Set() })
/** Runs whose children are not shown. */
export const shut = signal<ReadonlySet<string>>(new Set())
/** The stretch of time that is drawn; all of it where undefined. */
export const zoom = signal<{ readonly from: number; readonly to: number } | undefined>(undefined)
export const helpIsOpen = signal(false)

export const rows = computed(() => rowsOf(state.value, filter.value, shut.value))
export const providers = computed(() => [...new Set([...state.value.runs].map(({ provider }) => provider))].sort())
export const counts = computed(() => countGroups(state.value))
export const isReplay = computed(() => hello.value?.mode === 'replay')
/** The service is closed: nothing more will happen. */
export const isClosed = computed(() => {
  for (const { kind, status } of state.value.actors) if (kind === 'registry') return status !== 'active'
  return false
})
export const isLive = computed(() => connection.value === 'live' && !isReplay.value)
/** Until when time has gone on: the present while something is live, else the last entry. */
export const until = computed(() => {
  const { at } = state.value
  const { live, asking } = counts.value
  if (moment.value !== undefined) return Math.max(at, moment.value)
  return isLive.value && live + asking > 0 ? Math.max(at, now.value) : at
})
/** From where time is counted: when the first run was asked for. */
export const zero = computed(() => {
  const { since } = state.value
  return history.state.runs.get(history.state.rootRuns[0] ?? '')?.since ?? since
})
/** The stretch of time that the lanes show. */
export const domain = computed(() => {
  if (zoom.value) return zoom.value
  const from = zero.value
  const to = Math.max(until.value, isReplay.value ? history.state.at : 0, from + 10)
  return { from, to: to + (to - from) * 0.02 }
})

export let history = new History(false)

export function begin(said: PageHello): void {
  history = new History(said.mode === 'replay')
  batch(() => {
    hello.value = said
    connection.value = 'live'
    layouts.value = new Map()
    questions.value = []
    place.value = undefined
    moment.value = undefined
    show()
  })
}

export function take(entries: readonly JournalEntry[]): void {
  for (const entry of entries) history.push(entry)
}

/** Shows what was taken; once a frame. */
export function show(): void {
  batch(() => {
    totalCount.value = history.entries.length
    forgotten.value = history.forgotten
    shownCount.value = place.value ?? history.entries.length
    state.value = place.value === undefined ? history.state : history.stateAt(place.value)
    if (selected.value === undefined || (!history.state.runs.get(selected.value) && history.state.rootRuns.length > 0))
      selected.value = state.value.rootRuns[0]
  })
}

/** Of a recording: shows how it stood after so many entries, at that moment. @param at the last entry's where it is left out */
export function goTo(count: number, at?: number): void {
  batch(() => {
    place.value = count >= history.entries.length ? undefined : Math.max(1, count)
    moment.value = place.value === undefined ? undefined : at
    show()
  })
}

export function select(actor: string): void {
  const open = new Set(shut.value)
  for (let above = state.value.runs.get(actor)?.parentRun; above !== undefined; above = state.value.runs.get(above)?.parentRun)
    open.delete(above)
  batch(() => {
    if (open.size !== shut.value.size) shut.value = open
    selected.value = actor
  })
}

export function toggle(actor: string, open: boolean): void {
  const next = new Set(shut.value)
  if (open) next.delete(actor)
  else next.add(actor)
  shut.value = next
}

export function toggleGroup(group: Group): void {
  const groups = new Set(filter.value.groups)
  if (!groups.delete(group)) groups.add(group)
  filter.value = { ...filter.value, groups }
}

export const clearFilter = (): void => {
  filter.value = { text: '', provider: '', groups: new Set() }
}

/** Widens or narrows the stretch of time around a moment in it. */
export function zoomBy(factor: number, at?: number): void {
  const { from, to } = domain.value
  const center = at ?? (from + to) / 2
  const next = { from: center - (center - from) * factor, to: center + (to - center) * factor }
  if (next.to - next.from < 1) return
  const whole = { from: state.value.since, to: Math.max(until.value, history.state.at) }
  zoom.value = next.from <= whole.from && next.to >= whole.to ? undefined : next
}

export function moveBy(part: number): void {
  if (!zoom.value) return
  const { from, to } = zoom.value
  const by = (to - from) * part
  zoom.value = { from: from + by, to: to + by }
}

/** Draws one run from its start to its end. */
export function zoomTo(actor: string): void {
  const run = state.value.runs.get(actor)
  const seen = state.value.actors.get(actor)
  if (!run) return
  const from = run.since
  const to = Math.max(seen?.endedAt ?? run.endedAt ?? until.value, from + 10)
  const margin = (to - from) * 0.05
  zoom.value = { from: from - margin, to: to + margin }
}
