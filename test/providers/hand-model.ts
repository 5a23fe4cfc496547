import { scriptedModel } from '../../src/testing/index.ts'
import type { ScriptedAnswer, ScriptedModel } from '../../src/testing/index.ts'

/** A model whose one answer is written by hand, a part at a time. */
export class HandModel {
  readonly model: ScriptedModel
  #wake: () => void = () => {}
  #parts: string[] = []
  #end: ScriptedAnswer | 'open' | undefined

  constructor() {
    this.model = scriptedModel(async ({ signal }) => {
      // As long as nothing was written the call itself waits; a failed call has no text.
      while (this.#parts.length === 0 && this.#end === undefined) await this.#more(signal)
      const end = this.#end
      if (end === 'open' || (end?.error === undefined && !end?.tools)) return { text: this.#text() }
      // Tools are called once; the answer to their results says nothing.
      this.#end = end.tools ? {} : end
      return end
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
