/** The runs of a task as the lines of a terminal: a pure function of what is known of them and of the size (C5). */
import type { Colors } from '../colors.ts'
import { formatElapsed, formatRunning } from '../elapsed.ts'
import { fitWidth, padWidth, textWidth } from '../text-width.ts'
import { arrange } from './arrange.ts'
import type { RunState } from './run-state.ts'
import type { RunView } from './run-tree.ts'

export interface TreeSize {
  readonly columns: number
  readonly rows: number
}

const gap = '  '
/** Narrower than this, a name says nothing; times and tokens make room for it. */
const leastName = 12
/** And what a child does needs as much. */
const leastActivity = 12
/** So that the columns stand still while words and figures change. */
const leastState = 'completed'.length
const leastElapsed = '59.9s'.length

/**
 * @param now on the clock of `since`
 * @returns at most `rows - 1` lines, each narrower than `columns`: below the last there has to be room for the cursor
 */
export function treeLines(runs: readonly RunView[], now: number, { columns, rows }: TreeSize, colors: Colors): string[] {
  const room = Math.max(1, columns - 1)
  const arranged = arrange(runs, Math.max(1, rows - 1))
  const rest =
    arranged.hidden.length === 0 ? [] : [colors.dim(fitWidth(`… ${arranged.hidden.length} more: ${countStates(arranged.hidden)}`, room))]
  if (room < leastName + leastState) return [...arranged.rows.map(({ run, branch }) => fitWidth(branch + run.label, room)), ...rest]
  const cells = arranged.rows.map(({ run, branch }) => cellsOf(run, branch, now))
  const widthOf = (cell: (cells: Cells) => string, least = 0) => cells.reduce((most, row) => Math.max(most, textWidth(cell(row))), least)

  const name = widthOf(({ branch, label }) => branch + label)
  const state = widthOf(({ state }) => state.word, leastState)
  const elapsed = widthOf((row) => row.elapsed, leastElapsed)
  const tokens = widthOf((row) => row.tokens)
  const figures = [elapsed, ...(tokens > 0 ? [tokens] : [])]
  const taken = () => state + gap.length + figures.reduce((sum, width) => sum + width + gap.length, 0)
  while (figures.length > 0 && room - taken() < leastName) figures.pop()
  const left = room - taken()
  // What a child does gets what the names leave, and at least two fifths where they are long.
  const besideName = left - Math.min(name, Math.max(leastName, Math.floor(left * 0.6))) - gap.length
  const activity = besideName >= leastActivity && cells.some((row) => row.activity !== '') ? besideName : 0
  const nameWidth = activity > 0 ? left - activity - gap.length : Math.min(name, left)

  const lines = cells.map((row) => {
    const branch = fitWidth(row.branch, nameWidth)
    const labelWidth = nameWidth - textWidth(branch)
    const parts = [
      (branch === '' ? '' : colors.dim(branch)) + padWidth(fitWidth(row.label, labelWidth), labelWidth),
      paintState(row.state, colors)(padWidth(row.state.word, state)),
      ...(figures.length > 0 ? [padWidth(row.elapsed, elapsed, 'end')] : []),
      ...(figures.length > 1 ? [padWidth(row.tokens, tokens, 'end')] : []),
      ...(activity > 0 && row.activity !== '' ? [colors.dim(fitWidth(row.activity, activity))] : []),
    ]
    return parts.join(gap).trimEnd()
  })
  return [...lines, ...rest]
}

interface Cells {
  readonly branch: string
  readonly label: string
  readonly state: RunState
  readonly elapsed: string
  readonly tokens: string
  readonly activity: string
}

function cellsOf({ label, state, since, durationMs, tokens, activity }: RunView, branch: string, now: number): Cells {
  return {
    branch,
    label,
    state,
    elapsed: durationMs !== undefined ? formatElapsed(durationMs) : state.ended ? '' : formatRunning(Math.max(0, now - since)),
    tokens: tokens === undefined ? '' : `${formatCount(tokens)} tokens`,
    activity: activity(),
  }
}

/** `950`, `12.3k`, `1.2M`. */
export function formatCount(count: number): string {
  if (count < 1000) return String(count)
  return count < 999_950 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`
}

function paintState({ word, ended }: RunState, colors: Colors): (text: string) => string {
  if (!ended) return word === 'running' ? colors.cyan : word === 'awaiting permission' || word === 'settling' ? colors.yellow : colors.dim
  return word === 'completed' ? colors.green : word === 'aborted' ? colors.yellow : colors.red
}

function countStates(runs: readonly RunView[]): string {
  const counts = new Map<string, number>()
  for (const { state } of runs) counts.set(state.word, (counts.get(state.word) ?? 0) + 1)
  return Array.from(counts, ([word, count]) => `${count} ${word}`).join(', ')
}
