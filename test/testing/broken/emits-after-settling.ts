import { honest, HonestChild } from '../honest.ts'
import type { Broken } from './broken.ts'

class EmitsAfterSettling extends HonestChild {
  override complete(answer: string): void {
    super.complete(answer)
    queueMicrotask(() => this.context.update({ type: 'usage', usage: { totalTokens: 12 } }))
  }
}

export const emitsAfterSettling: Broken = {
  name: 'reports usage when it has settled',
  id: 'R16',
  sentence: 'no update comes once the child has settled',
  seen: /1, the first is \{"type":"usage"/,
  look: /settle after the last update/,
  make: honest({ Child: EmitsAfterSettling }),
}
