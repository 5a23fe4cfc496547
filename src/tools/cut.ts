/** Text that is too large, as its head and its tail (T12). Bytes are those of UTF-8; nothing is cut inside a code point. */

const encoder = new TextEncoder()

export function byteLength(text: string): number {
  return encoder.encode(text).length
}

/** `text` itself where it fits into `limitBytes`, else its head and tail around a mark, together in `limitBytes`. */
export function cutText(text: string, limitBytes: number, hint = ''): string {
  // No code unit takes more than 3 bytes, so most texts need no encoding to be known short.
  if (text.length * 3 <= limitBytes) return text
  const bytes = encoder.encode(text)
  if (bytes.length <= limitBytes) return text
  const room = Math.max(0, limitBytes - byteLength(cutMark(bytes.length, bytes.length, hint)))
  const head = headOf(bytes, Math.ceil(room / 2))
  const tail = tailOf(bytes, Math.floor(room / 2))
  return decode(head) + cutMark(bytes.length - head.length - tail.length, bytes.length, hint) + decode(tail)
}

export function cutMark(cutBytes: number, allBytes: number, hint = ''): string {
  return `\n[… ${cutBytes} of ${allBytes} bytes are cut here${hint}]\n`
}

/** The part of a text from byte `offset` on, in at most `limitBytes`. */
export function textFrom(text: string, offset: number, limitBytes: number): { text: string; from: number; to: number; all: number } {
  const bytes = encoder.encode(text)
  let from = Math.min(offset, bytes.length)
  while (from > 0 && from < bytes.length && isInside(bytes[from])) from--
  const part = headOf(bytes.subarray(from), limitBytes)
  return { text: decode(part), from, to: from + part.length, all: bytes.length }
}

function headOf(bytes: Uint8Array, length: number): Uint8Array {
  let end = Math.min(length, bytes.length)
  while (end > 0 && isInside(bytes[end])) end--
  return bytes.subarray(0, end)
}

function tailOf(bytes: Uint8Array, length: number): Uint8Array {
  let start = Math.max(0, bytes.length - length)
  while (start < bytes.length && isInside(bytes[start])) start++
  return bytes.subarray(start)
}

/** A byte that goes on with a code point. */
const isInside = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

// Without ignoreBOM a text that begins with a byte order mark would lose it.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const decode = (bytes: Uint8Array): string => decoder.decode(bytes)
