/** A recorded journal as text for a person: a pure function of what was read (I4). */
import { stateName, type JournalActor, type JournalRun, type JournalState, type RecordedJournal } from '../../inspect/index.ts'
import { formatElapsed } from '../output/elapsed.ts'
import { safeLine } from '../output/safe-text.ts'
import { fitWidth, padWidth, textWidth } from '../output/text-width.ts'
import { formatCount } from '../output/tree/tree-lines.ts'
import { wrap } from '../wrap.ts'

export interface ReplayTextOptions {
  /** So many milliseconds after the beginning. @default the end */
  readonly at?: number
  readonly columns: number
}

interface Row {
  readonly run: JournalRun
  /** Lines that lead to it, and those that go on below it. */
  readonly branch: string
  readonly below: string
}

const longestName = 60

export function replayText(journal: RecordedJournal, { at, columns }: ReplayTextOptions): string {
  const whole = journal.stateAt()
  const until = at === undefined ? Infinity : whole.since + at
  const state = at === undefined ? whole : journal.stateAt(journal.entries.filter((entry) => entry.at <= until).length)
  const now = at === undefined ? state.at : Math.min(until, whole.at)
  const rows = rowsOf(state)
  const names = rows.map(({ run, branch }) => branch + fitWidth(nameOf(run), longestName))
  const width = names.reduce((most, name) => Math.max(most, textWidth(name)), 0)
  const lines = rows.flatMap(({ run, below }, index) => [
    `${padWidth(names[index]!, width)}  ${figuresOf(run, state, now)}`.trimEnd(),
    ...wayLines(state.actors.get(run.actor), now, below, columns),
  ])
  return [headOf(state, whole, at), '', ...(lines.length > 0 ? lines : ['No run was started.'])].join('\n')
}

function headOf(state: JournalState, whole: JournalState, at: number | undefined): string {
  const count = `${state.runs.size} ${state.runs.size === 1 ? 'run' : 'runs'}`
  const when = new Date(whole.since).toISOString().replace('T', ' ').slice(0, 19)
  const span = formatElapsed(whole.at - whole.since)
  const missing = state.dropped > 0 ? `; ${state.dropped} entries are missing, which came faster than they could be written` : ''
  return at === undefined
    ? `${count} in ${span}, recorded ${when} UTC${missing}`
    : `${count} after ${formatElapsed(at)} of ${span}, recorded ${when} UTC${missing}`
}

/** Runs below their parents, in the order in which they were started; without recursion, since a tree may be deep. */
function rowsOf({ runs, rootRuns }: JournalState): Row[] {
  const rows: Row[] = []
  const stack: Row[] = []
  const push = (actors: readonly string[], rowOf: (run: JournalRun, isLast: boolean) => Row) => {
    for (let index = actors.length - 1; index >= 0; index--) {
      const run = runs.get(actors[index]!)
      if (run) stack.push(rowOf(run, index === actors.length - 1))
    }
  }
  push(rootRuns, (run) => ({ run, branch: '', below: '' }))
  for (let row = stack.pop(); row; row = stack.pop()) {
    const { run: above, below } = row
    const hasChildren = above.childRuns.length > 0
    rows.push({ ...row, below: `${below}${hasChildren ? '│  ' : '   '}` })
    push(above.childRuns, (run, isLast) => ({
      run,
      branch: `${below}${isLast ? '└─ ' : '├─ '}`,
      below: `${below}${isLast ? '   ' : '│  '}`,
    }))
  }
  return rows
}

const nameOf = ({ label, provider, runId }: JournalRun): string => safeLine(label ?? `${provider} ${runId}`)

function figuresOf(run: JournalRun, state: JournalState, now: number): string {
  const { durationMs, usage, since } = run
  const elapsed = run.refused === undefined ? formatElapsed(durationMs ?? Math.max(0, now - since)) : ''
  const tokens = usage?.totalTokens === undefined ? '' : `${formatCount(usage.totalTokens)} tokens`
  return [outcomeOf(run, state), elapsed, tokens].filter((figure) => figure !== '').join('  ')
}

function outcomeOf({ actor, stopReason, failure, refused }: JournalRun, { actors }: JournalState): string {
  if (refused !== undefined) return `refused (${safeLine(refused)})`
  if (stopReason !== undefined) return safeLine(failure ? `${stopReason} (${failure.code})` : stopReason)
  const { status, value } = actors.get(actor) ?? {}
  if (status === 'lost') return 'lost from sight'
  return status === 'active' ? `still ${safeLine(stateName(value))}` : 'not started'
}

/** `starting 1ms → running.active 2.9s → …`: each state with the time that was spent in it. */
function wayLines(actor: JournalActor | undefined, now: number, below: string, columns: number): string[] {
  const path = actor?.path ?? []
  const steps = path.map(({ value, at }, index) => {
    const isLast = index === path.length - 1
    const name = safeLine(stateName(value))
    // In its last state an actor that has ended spends no time.
    if (isLast && actor?.status !== 'active') return name
    return `${name} ${formatElapsed(Math.max(0, (path[index + 1]?.at ?? now) - at))}`
  })
  if (steps.length === 0) return []
  const lead = actor!.droppedSteps > 0 ? [`(${actor!.droppedSteps} steps before)`] : []
  return wrap([...lead, ...steps].join(' → '), Math.max(40, columns - textWidth(below) - 1))
    .split('\n')
    .map((line) => `${below}${line}`)
}
