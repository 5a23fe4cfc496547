/** Text that came in parts, as the blocks it makes up: one a message. */
import type { ContentBlock } from '../types.ts'

export class StreamedText {
  #messages: { messageId: string | undefined; text: string }[] = []

  add(text: string, messageId?: string): void {
    const last = this.#messages.at(-1)
    if (last && last.messageId === messageId) last.text += text
    else this.#messages.push({ messageId, text })
  }

  blocks(): ContentBlock[] {
    return this.#messages.filter(({ text }) => text !== '').map(({ text }) => ({ type: 'text', text }))
  }
}
