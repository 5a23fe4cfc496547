/** What a run is doing, and whom it waits for. */
import { stateName } from '../../../state.ts'
import type { JournalRun, JournalState } from '../../../state.ts'
import { isOver, nameOf, standingOf } from './standing.ts'

/** The runs of a run's child that are not over. */
export function liveChildren(run: JournalRun, state: JournalState): JournalRun[] {
  return run.childRuns.flatMap((key) => {
    const child = state.runs.get(key)
    return child && !isOver(standingOf(child, state.actors.get(key))) ? [child] : []
  })
}

/** A few words; `''` for one that is over. */
export function doingOf(run: JournalRun, state: JournalState): string {
  const actor = state.actors.get(run.actor)
  const standing = standingOf(run, actor)
  if (isOver(standing)) return ''
  if (standing === 'asking') return `asks${run.permission?.toolName === undefined ? '' : ` for ${run.permission.toolName}`}`
  if (standing === 'queued') return stateName(actor?.value) === 'validating.queued' ? 'waits for a slot' : 'is checked'
  if (standing === 'stopping') return 'waits for its child to stop'
  const children = liveChildren(run, state)
  if (children.length === 1) return `waits for ${nameOf(children[0]!)}`
  if (children.length > 1) return `waits for ${children.length} runs`
  if (run.tool) return `uses ${run.tool.name}`
  if (stateName(actor?.value) === 'starting') return 'starts'
  const last = run.lastUpdate?.type
  return last === 'text' ? 'answers' : last === 'thought' ? 'thinks' : 'waits for its model'
}

export type Wait =
  | { readonly for: 'you' }
  | { readonly for: 'slot' }
  | { readonly for: 'child' }
  | { readonly for: 'runs'; readonly runs: readonly JournalRun[] }
  | { readonly for: 'tool'; readonly name: string; readonly since: number }

/** What keeps a live run, as far as the journal tells. */
export function waitOf(run: JournalRun, state: JournalState): Wait | undefined {
  const actor = state.actors.get(run.actor)
  const standing = standingOf(run, actor)
  if (isOver(standing)) return undefined
  if (standing === 'asking') return { for: 'you' }
  if (standing === 'queued') return { for: 'slot' }
  if (standing === 'stopping') return { for: 'child' }
  const runs = liveChildren(run, state)
  if (runs.length > 0) return { for: 'runs', runs }
  return run.tool && { for: 'tool', name: run.tool.name, since: run.tool.at }
}

/** Failed runs below a run, the nearest first: often one of them is why. */
export function failedBelow(run: JournalRun, state: JournalState, most = 5): JournalRun[] {
  const found: JournalRun[] = []
  const queue = [...run.childRuns]
  while (queue.length > 0 && found.length < most) {
    const child = state.runs.get(queue.shift()!)
    if (!child) continue
    if (child.failure || child.refused !== undefined) found.push(child)
    queue.push(...child.childRuns)
  }
  return found
}
