/**
 * The text of an agent, by message (A9): one block a message, whatever the number of its chunks.
 *
 * Chunks without an id belong to one message until something else comes between, as a tool call does.
 */
import type { ContentBlock } from '../../types.ts'

/** Characters that are kept of one run; of more, the end. */
const keptCharacters = 8 * 1024 * 1024

interface TextMessage {
  readonly id: string | undefined
  parts: string[]
  length: number
}

export class Transcript {
  readonly #messages: (TextMessage | Exclude<ContentBlock, { type: 'text' }>)[] = []
  #open: TextMessage | undefined
  #length = 0
  /** Characters that were dropped from the front. */
  dropped = 0

  add(text: string, id: string | undefined): void {
    if (text === '') return
    if (!this.#open || this.#open.id !== id) {
      this.#open = { id, parts: [], length: 0 }
      this.#messages.push(this.#open)
    }
    this.#open.parts.push(text)
    this.#open.length += text.length
    this.#length += text.length
    if (this.#length > keptCharacters) this.#cut()
  }

  addBlock(block: Exclude<ContentBlock, { type: 'text' }>): void {
    this.#open = undefined
    this.#messages.push(block)
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
      if ('type' in message) return [message]
      const text = message.parts.join('')
      return text === '' ? [] : [{ type: 'text', text }]
    })
  }

  /** Takes the oldest parts away, to well under the limit, so that this is rare. */
  #cut(): void {
    for (const message of this.#messages) {
      if ('type' in message) continue
      let count = 0
      while (count < message.parts.length && this.#length > keptCharacters / 2) this.#length -= message.parts[count++]!.length
      const gone = message.parts.splice(0, count).reduce((sum, part) => sum + part.length, 0)
      message.length -= gone
      this.dropped += gone
      if (this.#length <= keptCharacters / 2) return
    }
  }
}
