import { honest, HonestChild } from '../honest.ts'
import type { Broken } from './broken.ts'

class DisposeNeverEnds extends HonestChild {
  protected override async release(): Promise<void> {
    await super.release()
    await new Promise(() => {})
  }
}

export const disposeNeverEnds: Broken = {
  name: 'never comes to the end of dispose()',
  id: 'R10',
  sentence: 'dispose() after the end leaves nothing of the child',
  seen: /settling\.releasing, and nothing moves/,
  look: /dispose\(\).*its promise has not resolved/,
  make: honest({ Child: DisposeNeverEnds }),
}
