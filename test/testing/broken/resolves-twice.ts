import type { SubagentResult } from '../../../src/index.ts'
import { honest, HonestChild } from '../honest.ts'
import type { Broken } from './broken.ts'

/** A promise of its own making, that tells of the end once more when the child is gone. */
class ResolvesTwice extends HonestChild {
  #told: ((result: SubagentResult) => void)[] = []
  override get result(): Promise<SubagentResult> {
    return this.#thenable
  }
  readonly #thenable = {
    then: (onFulfilled: (result: SubagentResult) => void, onRejected: (error: unknown) => void) => {
      this.#told.push(onFulfilled)
      super.result.then(onFulfilled, onRejected)
    },
  } as unknown as Promise<SubagentResult>
  protected override async release(): Promise<void> {
    await super.release()
    for (const tell of this.#told) tell({ output: [], stopReason: 'aborted' })
  }
}

export const resolvesTwice: Broken = {
  name: 'resolves twice',
  id: 'R4',
  sentence: 'the promise result is one, and settles once',
  seen: /settled 2 times/,
  look: /a promise of the language settles once by itself/,
  make: honest({ Child: ResolvesTwice }),
}
