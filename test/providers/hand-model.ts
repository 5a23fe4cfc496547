import { scriptedModel } from '../../src/testing/index.ts'
import type { ScriptedAnswer, ScriptedModel } from '../../src/testing/index.ts'

/** A model whose one answer is written by hand, a part at a time. */
export class HandModel {
  readonly model: ScriptedModel
  #wake: () => void = () => {}
  #parts: string[] = []
  #end: ScriptedAnswer | 'open' | undefined

  /** Where it is deaf, it ignores the signal of its call until something is written. */
  isDeaf = false

  constructor() {
    this.model = scriptedModel(async ({ signal }) => {
      // As long as nothing was written the call itself waits; a failed call has no text.
      while (this.#parts.length === 0 && this.#end === undefined) await (this.isDeaf ? this.#more() : this.#more(signal))
      return this.#end && this.#end !== 'open' && this.#end.error !== undefined ? this.#end : { text: this.#text() }
    })
  }

  write(text: string): void {
    this.#parts.push(text)
    this.#wake()
  }

  end(answer: ScriptedAnswer = {}): void {
    this.#end = answer
    this.#wake()
  }

  async *#text(): AsyncGenerator<string> {
    for (;;) {
      const part = this.#parts.shift()
      if (part !== undefined) yield part
      else if (this.#end !== undefined) return
      else await this.#more()
    }
  }

  #more(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#wake = resolve
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    })
  }
}
