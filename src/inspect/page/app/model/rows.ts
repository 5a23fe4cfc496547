/** The lines of the tree: the runs that are to be seen, in their order, at their depth. */
import type { JournalRun, JournalState } from '../../../state.ts'
import { groupOf, standingOf } from './standing.ts'
import type { Group } from './standing.ts'

export interface Filter {
  readonly text: string
  readonly provider: string
  /** None for all. */
  readonly groups: ReadonlySet<Group>
}

export interface Row {
  readonly run: JournalRun
  /** From 1. */
  readonly depth: number
  readonly isOpen: boolean
  readonly hasChildren: boolean
  /** False for one that is there for the sake of those below it. */
  readonly isMatch: boolean
  readonly position: number
  readonly siblings: number
}

export const isFiltering = ({ text, provider, groups }: Filter): boolean => text !== '' || provider !== '' || groups.size > 0

export function rowsOf(state: JournalState, filter: Filter, shut: ReadonlySet<string>): Row[] {
  const filters = isFiltering(filter)
  const shown = filters ? shownBy(state, filter) : undefined
  const rows: Row[] = []
  const add = (keys: readonly string[], depth: number): void => {
    const list = shown ? keys.filter((key) => shown.has(key)) : keys
    list.forEach((key, index) => {
      const run = state.runs.get(key)
      if (!run) return
      const hasChildren = run.childRuns.length > 0
      const isOpen = hasChildren && (filters || !shut.has(key))
      rows.push({ run, depth, isOpen, hasChildren, isMatch: shown?.get(key) ?? true, position: index + 1, siblings: list.length })
      if (isOpen) add(run.childRuns, depth + 1)
    })
  }
  add(state.rootRuns, 1)
  return rows
}

/** Matches, by true, and those above them, by false. */
function shownBy(state: JournalState, { text, provider, groups }: Filter): Map<string, boolean> {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const shown = new Map<string, boolean>()
  for (const run of state.runs) {
    if (provider !== '' && run.provider !== provider) continue
    if (groups.size > 0 && !groups.has(groupOf(standingOf(run, state.actors.get(run.actor))))) continue
    const told = [run.label, run.agent, run.runId, run.provider, run.stopReason, run.failure?.code, run.refused].join(' ').toLowerCase()
    if (!words.every((word) => told.includes(word))) continue
    shown.set(run.actor, true)
    for (let above = run.parentRun; above !== undefined && !shown.has(above); above = state.runs.get(above)?.parentRun)
      shown.set(above, false)
  }
  return shown
}

export function countGroups(state: JournalState): Record<Group, number> {
  const counts: Record<Group, number> = { live: 0, asking: 0, completed: 0, failed: 0, cancelled: 0 }
  for (const run of state.runs) counts[groupOf(standingOf(run, state.actors.get(run.actor)))]++
  return counts
}
