/**
 * An answer within `maxOutputBytes` (T12).
 *
 * Text is cut to head and tail. A structured object is given whole where its JSON fits, else as that JSON, cut: half an object
 * would be a wrong one. Other blocks count by their size; those for which no room is left are named in a note.
 */
import { limitText } from '../run/text.ts'
import type { ContentBlock } from '../types.ts'
import { byteLength, cutText } from './cut.ts'
import { textOf } from './outcome.ts'
import type { SubagentToolResult } from './outcome.ts'

const noteLimitBytes = 512

/** @param hint goes into the mark: how to read what was cut */
export function limitResult(result: SubagentToolResult, limitBytes: number, hint = ''): SubagentToolResult {
  const { isError, content, structured } = result
  const text = textOf(content)
  const kept: ContentBlock[] = []
  const left: string[] = []
  let room = limitBytes - Math.min(limitBytes, byteLength(text))
  for (const block of content) {
    if (block.type === 'text') continue
    const size = byteLength(JSON.stringify(block))
    if (size <= room) {
      kept.push(block)
      room -= size
    } else left.push(`${nameOf(block)}, ${size} bytes`)
  }
  const note = left.length === 0 ? '' : leftNote(left, limitBytes)
  const taken = kept.reduce((sum, block) => sum + byteLength(JSON.stringify(block)), byteLength(note))
  const cut = cutText(text, limitBytes - taken, hint)
  if (cut === text && note === '') return result
  const texts: ContentBlock[] = cut === '' ? [] : [{ type: 'text', text: cut }]
  const notes: ContentBlock[] = note === '' ? [] : [{ type: 'text', text: note }]
  return { isError, content: [...texts, ...kept, ...notes], ...(structured !== undefined && cut === text && { structured }) }
}

function leftNote(left: readonly string[], limitBytes: number): string {
  return limitText(`\n[Left out, since an answer may have ${limitBytes} bytes: ${left.join('; ')}]`, noteLimitBytes)
}

function nameOf(block: Exclude<ContentBlock, { type: 'text' }>): string {
  if (block.type === 'resource_link') return `link ${block.uri}`
  if (block.type === 'resource') return `resource ${block.resource.uri}`
  return `${block.type} ${block.mimeType}`
}
