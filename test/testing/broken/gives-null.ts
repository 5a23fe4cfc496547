import { honest, HonestChild } from '../honest.ts'
import type { Broken } from './broken.ts'

class GivesNull extends HonestChild {
  readonly #nothing = super.result.then(() => null as never)
  override get result(): Promise<never> {
    return this.#nothing
  }
}

export const givesNull: Broken = {
  name: 'resolves with null',
  id: 'R12',
  sentence: 'a child that completes resolves result with its output',
  seen: /rejected with SubagentError: .*null in place of \{ output, stopReason \}/,
  look: /what result resolves with: \{ output: content blocks, stopReason \}/,
  make: honest({ Child: GivesNull }),
}
