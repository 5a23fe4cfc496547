/**
 * The text of an agent, by message (A9): one block a message, whatever the number of its chunks.
 *
 * Chunks without an id belong to one message until something else comes between, as a tool call does.
 */
import { estimateSize } from '../../run/size.ts'
import { withoutStart } from '../../run/text.ts'
import type { ContentBlock } from '../../types.ts'

/** Characters that are kept of one run, those of images too; of more, the end. */
const keptCharacters = 8 * 1024 * 1024

interface TextMessage {
  readonly id: string | undefined
  parts: string[]
  length: number
}

type OtherBlock = Exclude<ContentBlock, { type: 'text' }>

interface OtherMessage {
  readonly block: OtherBlock
  readonly length: number
}

/** What a message costs beside its text. */
const overhead = 64

export class Transcript {
  #messages: (TextMessage | OtherMessage)[] = []
  #open: TextMessage | undefined
  #length = 0
  /** Characters that were dropped from the front. */
  dropped = 0
  /** Images and other blocks that were. */
  droppedBlocks = 0

  add(text: string, id: string | undefined): void {
    if (text === '') return
    if (!this.#open || this.#open.id !== id) {
      this.#open = { id, parts: [], length: 0 }
      this.#messages.push(this.#open)
      this.#length += overhead
    }
    this.#open.parts.push(text)
    this.#open.length += text.length
    this.#grow(text.length)
  }

  addBlock(block: OtherBlock): void {
    this.#open = undefined
    const length = estimateSize(block)
    this.#messages.push({ block, length })
    this.#grow(overhead + length)
  }

  /** What comes next without an id is another message. */
  pause(): void {
    if (this.#open?.id === undefined) this.#open = undefined
  }

  get isEmpty(): boolean {
    return this.#messages.length === 0
  }

  blocks(): ContentBlock[] {
    return this.#messages.flatMap((message): ContentBlock[] => {
      if ('block' in message) return [message.block]
      const text = message.parts.join('')
      return text === '' ? [] : [{ type: 'text', text }]
    })
  }

  #grow(length: number): void {
    this.#length += length
    if (this.#length > keptCharacters) this.#cut()
  }

  /** Takes the oldest away, to well under the limit, so that this is rare; of the last message its end stays, or all of a block. */
  #cut(): void {
    let gone = 0
    for (const [at, message] of this.#messages.entries()) {
      const isLast = at === this.#messages.length - 1
      if ('block' in message) {
        if (isLast || this.#length <= keptCharacters) break
        this.droppedBlocks++
        this.#length -= overhead + message.length
      } else {
        this.#cutText(message, this.#length - keptCharacters / 2)
        if (isLast || message.parts.length > 0) break
        this.#length -= overhead
      }
      gone = at + 1
    }
    this.#messages = this.#messages.slice(gone)
  }

  #cutText(message: TextMessage, excess: number): void {
    const before = message.length
    let left = excess
    let count = 0
    while (count < message.parts.length && message.parts[count]!.length <= left) left -= message.parts[count++]!.length
    message.parts.splice(0, count)
    if (left > 0 && message.parts.length > 0) message.parts[0] = withoutStart(message.parts[0]!, left)
    message.length = message.parts.reduce((sum, part) => sum + part.length, 0)
    this.#length -= before - message.length
    this.dropped += before - message.length
  }
}
