/** Text that came in parts, as the blocks it makes up: one a message. Of too much, the end is kept. */
import type { ContentBlock } from '../types.ts'
import { withoutStart } from './text.ts'

/** Characters that are kept, up to twice as many before they are cut. */
export const streamedCharacters = 8 * 1024 * 1024
/** What a message costs beside its text. */
const overhead = 64

interface Message {
  readonly messageId: string | undefined
  text: string
}

export class StreamedText {
  #messages: Message[] = []
  #size = 0
  /** Characters that were dropped from the front. */
  dropped = 0

  add(text: string, messageId?: string): void {
    const last = this.#messages.at(-1)
    this.#size += text.length
    if (last && last.messageId === messageId) last.text += text
    else {
      this.#size += overhead
      this.#messages.push({ messageId, text })
    }
    if (this.#size >= 2 * streamedCharacters) this.#cut()
  }

  blocks(): ContentBlock[] {
    return this.#messages.filter(({ text }) => text !== '').map(({ text }) => ({ type: 'text', text }))
  }

  #cut(): void {
    let gone = 0
    while (gone < this.#messages.length - 1 && this.#size > streamedCharacters) {
      const { length } = this.#messages[gone++]!.text
      this.#size -= length + overhead
      this.dropped += length
    }
    this.#messages = this.#messages.slice(gone)
    const first = this.#messages[0]!
    if (this.#size <= streamedCharacters) return
    const rest = withoutStart(first.text, this.#size - streamedCharacters)
    this.#size -= first.text.length - rest.length
    this.dropped += first.text.length - rest.length
    first.text = rest
  }
}
