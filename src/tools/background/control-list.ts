/** `subagent_list`: the runs of one parent, oldest first (T11). */
import type { Book } from './book.ts'
import { elapsed } from './elapsed.ts'

/** One run a line, as JSON: what is in a description cannot pass for another run. */
export function listRuns(book: Book): string {
  const lines = Array.from(book.runs.values(), ({ id, description, agent, state, finished, elapsedMs }) =>
    JSON.stringify({
      id,
      description,
      ...(agent.name !== undefined && { agent: agent.name }),
      state,
      ...(finished && { stopReason: finished.stopReason }),
      elapsed: elapsed(elapsedMs),
    }),
  )
  return lines.length === 0 ? 'You have no runs in the background.' : lines.join('\n')
}
