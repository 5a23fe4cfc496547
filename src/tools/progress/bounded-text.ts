/**
 * Text that comes in deltas, kept as its head and its tail in a bounded number of bytes (T12): what a delta costs does not
 * depend on how much came before it.
 */
import { byteLength, cutMark, cutText, textFrom } from '../cut.ts'

export class BoundedText {
  #bytes = 0
  /** Half of a pair, whose other half comes with the next delta. */
  #open = ''
  #head = ''
  #headBytes = 0
  #tail = ''
  #tailBytes = 0
  readonly #half: number
  readonly #limit: number

  constructor(limitBytes: number) {
    this.#limit = limitBytes
    this.#half = Math.floor((limitBytes - byteLength(cutMark(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER))) / 2)
  }

  add(given: string): void {
    let delta = this.#open + given
    this.#open = /[\ud800-\udbff]$/.test(delta) ? delta.slice(-1) : ''
    if (this.#open !== '') delta = delta.slice(0, -1)
    const bytes = byteLength(delta)
    this.#bytes += bytes
    if (this.#tail === '') {
      // The head may grow to the whole limit: as long as it holds everything, nothing is cut.
      const first = this.#headBytes + bytes <= this.#limit ? delta : textFrom(delta, 0, this.#limit - this.#headBytes).text
      this.#head += first
      this.#headBytes += byteLength(first)
      if (first === delta) return
      delta = delta.slice(first.length)
    }
    this.#tail += delta
    this.#tailBytes += byteLength(delta)
    // Trimmed a limit's length at a time, so that a flood of deltas costs no copy each.
    if (this.#tailBytes > 2 * this.#limit) {
      this.#tail = lastOf(this.#tail, this.#half)
      this.#tailBytes = byteLength(this.#tail)
    }
  }

  /** In at most the limit. */
  toString(): string {
    if (this.#tail === '') return this.#head
    const all = this.#head + this.#tail
    if (this.#headBytes + this.#tailBytes === this.#bytes) return cutText(all, this.#limit)
    const head = textFrom(this.#head, 0, this.#half).text
    const tail = lastOf(this.#tail, this.#half)
    return head + cutMark(this.#bytes - byteLength(head) - byteLength(tail), this.#bytes) + tail
  }
}

function lastOf(text: string, bytes: number): string {
  const all = byteLength(text)
  return all <= bytes ? text : textFrom(text, all - bytes, bytes).text
}
