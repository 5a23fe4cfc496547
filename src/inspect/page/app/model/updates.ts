/** The updates of a run, as a person reads them: pieces of a text together, a tool's call with its end. */
import type { JournalEntry, JournalUpdate } from '../../../entries.ts'

export interface UpdateLine {
  readonly seq: number
  readonly type: string
  readonly at: number
  /** Until when it went on. */
  readonly until?: number
  /** Pieces of a text. */
  readonly pieces: number
  readonly length: number
  readonly text?: string
  readonly update: JournalUpdate
  /** How a tool ended. */
  readonly status?: string
}

export function updateLines(entries: readonly JournalEntry[], actor: string): UpdateLine[] {
  const lines: UpdateLine[] = []
  const calls = new Map<string, number>()
  for (const entry of entries) {
    if (entry.type !== 'update' || entry.actor !== actor) continue
    const { update, seq } = entry
    const { type, at, toolCallId, length = 0, text } = update
    const last = lines.at(-1)
    if ((type === 'text' || type === 'thought') && last?.type === type) {
      lines[lines.length - 1] = {
        ...last,
        until: at,
        pieces: last.pieces + 1,
        length: last.length + length,
        ...(text !== undefined && { text: (last.text ?? '') + text }),
      }
      continue
    }
    const call = type === 'tool-result' && toolCallId !== undefined ? calls.get(toolCallId) : undefined
    if (call !== undefined) {
      lines[call] = { ...lines[call]!, until: at, status: update.status ?? 'ok' }
      continue
    }
    if (type === 'tool-call' && toolCallId !== undefined) calls.set(toolCallId, lines.length)
    lines.push({
      seq,
      type,
      at,
      pieces: 1,
      length,
      update,
      ...(text !== undefined && { text }),
      ...(type === 'tool-result' && { status: update.status ?? 'ok' }),
    })
  }
  return lines
}

/** What tools took, the longest first. A call that goes on counts until `now`. */
export function timeByTool(
  lines: readonly UpdateLine[],
  now: number,
): { readonly name: string; readonly calls: number; readonly ms: number }[] {
  const tools = new Map<string, { name: string; calls: number; ms: number }>()
  for (const { type, at, until, update } of lines) {
    if (type !== 'tool-call') continue
    const name = update.name ?? 'tool'
    const tool = tools.get(name) ?? { name, calls: 0, ms: 0 }
    tools.set(name, { name, calls: tool.calls + 1, ms: tool.ms + Math.max(0, (until ?? now) - at) })
  }
  return [...tools.values()].sort((a, b) => b.ms - a.ms)
}
