import type { SubagentResult } from '../../../src/index.ts'
import { honest, HonestChild } from '../honest.ts'
import type { Broken } from './broken.ts'

/** Hands its own log out, and empties it when the child goes. */
class SharesItsLog extends HonestChild {
  readonly #shared = super.result.then((result) => ({ ...result, output: this.log }))
  override get result(): Promise<SubagentResult> {
    return this.#shared
  }
  protected override release(): Promise<void> {
    this.log.length = 0
    return super.release()
  }
}

export const sharesItsLog: Broken = {
  name: 'shares its log with whoever reads the output',
  id: 'R14',
  sentence: 'the output stays as it was when the child settled',
  seen: /\[\]/,
  look: /hand over a copy/,
  make: honest({ Child: SharesItsLog }),
}
