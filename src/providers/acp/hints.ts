/** What the diagnostic of a run says beside its failure, or where there is none (A10, R14). */
import type { SubagentStopReason } from '../../types.ts'
import type { Transcript } from './transcript.ts'

/** How it ended its turn, where that is odd. @param refused how many of its permissions were */
export function hintsOfEnd(stopReason: SubagentStopReason, isCancelled: boolean, isEmpty: boolean, refused: number): string[] {
  const hints: string[] = []
  if (stopReason === 'completed' && isEmpty) hints.push('The agent ended its turn without any text.')
  if (stopReason === 'aborted' && !isCancelled) hints.push('The agent ended its turn as cancelled, which nobody asked it for.')
  if (hints.length > 0 && refused > 0) hints.push(`It had been refused ${refused} of its permissions.`)
  return hints
}

/** What of its answer is not kept, as it wrote too much. @param early updates from before its session was open */
export function hintsOfLosses({ dropped, droppedBlocks }: Transcript, early: number): string[] {
  return [
    ...(dropped > 0 ? [`The first ${dropped} characters of its text were dropped, as it wrote too much.`] : []),
    ...(droppedBlocks > 0 ? [`The first ${droppedBlocks} of its images and other blocks were dropped, as it wrote too much.`] : []),
    ...(early > 0 ? [`${early} updates from before its session was open were dropped, as they were too many.`] : []),
  ]
}
