/**
 * Text that goes out about a failure: short, whole code points, with a visible mark where it was cut (R14).
 */

export const diagnosticLimitBytes = 4096
const mark = ' … [cut]'
const encoder = new TextEncoder()

/** `text` in at most `limitBytes` bytes of UTF-8. */
export function limitText(text: string, limitBytes: number = diagnosticLimitBytes): string {
  // No code unit takes more than 3 bytes, so most texts need no encoding to be known short.
  if (text.length * 3 <= limitBytes) return text
  const bytes = encoder.encode(text)
  if (bytes.length <= limitBytes) return text
  let end = limitBytes - encoder.encode(mark).length
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--
  return new TextDecoder().decode(bytes.subarray(0, end)) + mark
}

/** `text` without its first `count` characters, and without half a code point where that would be cut. */
export function withoutStart(text: string, count: number): string {
  const rest = text.slice(count)
  return count > 0 && /^[\uDC00-\uDFFF]/.test(rest) ? rest.slice(1) : rest
}
