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
  const textBytes = byteLength(text)
  const others = content.flatMap((block) => (block.type === 'text' ? [] : [{ block, bytes: byteLength(JSON.stringify(block)) }]))
  if (others.reduce((sum, { bytes }) => sum + bytes, textBytes) <= limitBytes) return result
  const kept: ContentBlock[] = []
  const left: string[] = []
  // Text goes first; a note of what is left out has to fit in any case.
  const reserved = others.length === 0 ? 0 : noteLimitBytes
  let room = limitBytes - reserved
  const forText = Math.min(textBytes, room)
  room -= forText
  for (const { block, bytes } of others) {
    if (bytes <= room) {
      kept.push(block)
      room -= bytes
    } else left.push(`${nameOf(block)}, ${bytes} bytes`)
  }
  const cut = cutText(text, forText, hint)
  const texts: ContentBlock[] = cut === '' ? [] : [{ type: 'text', text: cut }]
  const notes: ContentBlock[] = left.length === 0 ? [] : [{ type: 'text', text: leftNote(left, limitBytes) }]
  return { isError, content: [...texts, ...kept, ...notes], ...(structured && cut === text && { structured }) }
}

function leftNote(left: readonly string[], limitBytes: number): string {
  return limitText(`\n[Left out, since an answer may have ${limitBytes} bytes: ${left.join('; ')}]`, noteLimitBytes)
}

function nameOf(block: Exclude<ContentBlock, { type: 'text' }>): string {
  if (block.type === 'resource_link') return `link ${block.uri}`
  if (block.type === 'resource') return `resource ${block.resource.uri}`
  return `${block.type} ${block.mimeType}`
}
