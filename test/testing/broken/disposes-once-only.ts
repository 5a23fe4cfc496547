import { honest, HonestChild } from '../honest.ts'
import type { Broken } from './broken.ts'

class DisposesOnceOnly extends HonestChild {
  #gone = false
  override async dispose(): Promise<void> {
    if (this.#gone) throw new Error('there is nothing to dispose')
    this.#gone = true
    await super.dispose()
  }
}

export const disposesOnceOnly: Broken = {
  name: 'throws when it is disposed a second time',
  id: 'R10',
  sentence: 'a second dispose() does no harm',
  seen: /rejected with Error: there is nothing to dispose/,
  look: /the promise of the first call/,
  make: honest({ Child: DisposesOnceOnly }),
}
