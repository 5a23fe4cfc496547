import { honest, HonestChild } from '../honest.ts'
import type { Broken } from './broken.ts'

class GivesAString extends HonestChild {
  readonly #flat = super.result.then(
    ({ stopReason, output: [block] }) => ({ stopReason, output: block?.type === 'text' ? block.text : '' }) as never,
  )
  override get result(): Promise<never> {
    return this.#flat
  }
}

export const givesAString: Broken = {
  name: 'gives its output as a string',
  id: 'R12',
  sentence: 'a child that completes resolves result with its output',
  seen: /output is not an array of content blocks/,
  look: /output: content blocks/,
  make: honest({ Child: GivesAString }),
}
