/** Which runs are shown where there are more than rows, and how they hang together. */
import type { RunView } from './run-tree.ts'

export interface Row {
  readonly run: RunView
  /** Lines that lead from the parent to it: `│  ├─ `. */
  readonly branch: string
}

export interface Arrangement {
  readonly rows: readonly Row[]
  /** Those for which there was no room. */
  readonly hidden: readonly RunView[]
}

/**
 * Children below their parents, in the order in which they were started, on at most `most` lines, of which one is left for
 * the rest where not all fit. Those that run come first, then those that failed, then those that ended last; a child whose
 * parent is not shown hangs from the next one above it that is.
 */
export function arrange(runs: readonly RunView[], most: number): Arrangement {
  const shown = new Set(runs.length <= most ? runs : choose(runs, Math.max(0, most - 1)))
  const byId = new Map(runs.map((run) => [run.runId, run]))
  const children = new Map<RunView | undefined, RunView[]>()
  for (const run of runs) {
    if (!shown.has(run)) continue
    let above = parentOf(run, byId)
    while (above && !shown.has(above)) above = parentOf(above, byId)
    const siblings = children.get(above)
    if (siblings) siblings.push(run)
    else children.set(above, [run])
  }
  const rows: Row[] = []
  const add = (above: RunView | undefined, lead: string) => {
    const siblings = children.get(above) ?? []
    for (const [index, run] of siblings.entries()) {
      const last = index === siblings.length - 1
      const top = above === undefined
      rows.push({ run, branch: top ? '' : `${lead}${last ? '└─ ' : '├─ '}` })
      add(run, top ? '' : `${lead}${last ? '   ' : '│  '}`)
    }
  }
  add(undefined, '')
  return { rows, hidden: runs.filter((run) => !shown.has(run)) }
}

function parentOf({ parentRunId }: RunView, byId: ReadonlyMap<string, RunView>): RunView | undefined {
  return parentRunId === undefined ? undefined : byId.get(parentRunId)
}

function choose(runs: readonly RunView[], most: number): RunView[] {
  const rank = ({ state }: RunView) => (!state.ended ? 0 : state.word !== 'completed' ? 1 : 2)
  const endedAt = ({ since, durationMs = 0 }: RunView) => since + durationMs
  return [...runs].sort((a, b) => rank(a) - rank(b) || (rank(a) === 2 ? endedAt(b) - endedAt(a) : 0)).slice(0, most)
}
