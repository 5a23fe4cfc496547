/** What an open turn ends as, whose process ended in its middle (G8). */
import type { SessionEvent } from '../../types.ts'
import type { SessionEntry } from './log.ts'

export const processEnded = 'The process that ran it ended.'

/** The events that close it, so that each call has its result and each turn its end; none where it was closed. */
export function closingEntries(events: readonly SessionEvent[]): readonly SessionEntry[] {
  const start = events.findLastIndex(({ type }) => type === 'turn/start')
  const open = start === -1 ? [] : events.slice(start)
  const [first] = open
  if (first?.type !== 'turn/start' || open.some(({ type }) => type === 'turn/end')) return []
  const answered = new Set(open.map((event) => (event.type === 'tool/result' ? event.toolCallId : undefined)))
  const unanswered = open.filter((event) => event.type === 'tool/call').filter(({ toolCallId }) => !answered.has(toolCallId))
  return [
    ...unanswered.map(({ toolCallId, name }): SessionEntry => ({
      type: 'tool/result',
      toolCallId,
      name,
      status: 'error',
      output: 'The process ended before it answered. Whether it did its work is not known.',
    })),
    { type: 'turn/end', turn: first.turn, reason: { kind: 'aborted', reason: processEnded } },
  ]
}
