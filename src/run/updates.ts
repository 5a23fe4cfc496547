/**
 * The updates of one run: numbering, a bounded buffer, the text folded from them, any number of readers.
 *
 * Invariants: `seq` counts from 0 without gaps; nothing is delivered before `open` or taken after `close` (R16); what the
 * buffer drops is counted; readers share the buffer and each starts with what it still holds.
 */
import { copy, deepFreeze } from './copy.ts'
import { sizeOfUpdate } from './size.ts'
import { StreamedText } from './streamed-text.ts'
import type { Clock, ContentBlock, SubagentUpdate, SubagentUpdateContent } from '../types.ts'

export const updateBufferSize = 1000
/** Characters that the buffer keeps, roughly: a thousand updates of a megabyte each would take the host down. */
export const updateBufferCharacters = 8 * 1024 * 1024

/**
 * What a provider reported, as a copy of our own.
 * @throws TypeError where it is no update, and what its fields throw when they are read
 */
export function ownUpdate(update: SubagentUpdateContent): SubagentUpdateContent {
  if (typeof update?.type !== 'string') throw new TypeError('it has no type')
  if ((update.type === 'text' || update.type === 'thought') && typeof update.text !== 'string')
    throw new TypeError(`its ${update.type} has no text`)
  return copy(update)
}

export class UpdateLog {
  dropped = 0
  #next = 0
  #buffer: SubagentUpdate[] = []
  /** Of each update in the buffer, and of all of them. */
  #sizes: number[] = []
  #size = 0
  #open = false
  #closed = false
  #delivered = 0
  readonly #text = new StreamedText()
  #waiting: (() => void)[] = []
  readonly #runId: string
  readonly #clock: Clock
  readonly #deliver: (update: SubagentUpdate) => void

  constructor(runId: string, clock: Clock, deliver: (update: SubagentUpdate) => void) {
    this.#runId = runId
    this.#clock = clock
    this.#deliver = deliver
  }

  push(content: SubagentUpdateContent): void {
    if (this.#closed) {
      this.dropped++
      return
    }
    // Frozen, since every listener and every reader is given this one.
    const update: SubagentUpdate = deepFreeze(
      // A spread that adds keys gives every object a hidden class of its own.
      Object.assign({}, content, { runId: this.#runId, seq: this.#next++, at: this.#clock.now() }),
    )
    if (content.type === 'text') this.#text.add(content.text, content.messageId)
    const size = sizeOfUpdate(content)
    this.#buffer.push(update)
    this.#sizes.push(size)
    this.#size += size
    // Trimmed a buffer's length at a time, so that a flood costs no shift an update.
    if (this.#buffer.length >= 2 * updateBufferSize || this.#size >= 2 * updateBufferCharacters) this.#trim()
    if (this.#open) this.#flush()
  }

  /** Lets updates out: those held until now first, then each as it comes. */
  open(): void {
    this.#open = true
    this.#flush()
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#trim()
    this.#wake()
  }

  /** The text streamed so far, a block a message. */
  partialOutput(): ContentBlock[] {
    return this.#text.blocks()
  }

  get droppedText(): number {
    return this.#text.dropped
  }

  /** From what the buffer still holds to the end of the run. */
  async *read(): AsyncGenerator<SubagentUpdate, void, undefined> {
    let at = Math.max(0, this.#next - Math.min(this.#buffer.length, updateBufferSize))
    for (;;) {
      const first = this.#next - this.#buffer.length
      if (at < first) at = first
      if (at < this.#next) yield this.#buffer[at++ - first]!
      else if (this.#closed) return
      else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  #trim(): void {
    let excess = Math.max(0, this.#buffer.length - updateBufferSize)
    let size = this.#size
    for (let at = 0; at < excess; at++) size -= this.#sizes[at]!
    // The last is kept whatever its size: it was not delivered yet.
    while (size > updateBufferCharacters && excess < this.#buffer.length - 1) size -= this.#sizes[excess++]!
    if (excess === 0) return
    this.#buffer = this.#buffer.slice(excess)
    this.#sizes = this.#sizes.slice(excess)
    this.#size = size
    this.dropped += excess
  }

  // A listener may push: the inner call then delivers, and the outer loop finds nothing left. Order is kept by #delivered.
  #flush(): void {
    while (this.#delivered < this.#next) {
      const first = this.#next - this.#buffer.length
      if (this.#delivered < first) this.#delivered = first
      const update = this.#buffer[this.#delivered++ - first]!
      this.#deliver(update)
    }
    this.#wake()
  }

  #wake(): void {
    if (this.#waiting.length === 0) return
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }
}
