import { honest, HonestChild } from '../honest.ts'
import type { Broken } from './broken.ts'

class ThrowsInCancel extends HonestChild {
  override cancel(): void {
    super.cancel()
    throw new Error('the pipe is closed')
  }
  // By method only.
  protected override listen(): void {}
}

export const throwsInCancel: Broken = {
  name: 'throws in cancel()',
  id: 'R18',
  sentence: 'cancel() returns without throwing',
  seen: /threw Error: the pipe is closed/,
  look: /cancel\(\): it tells the child to stop/,
  make: honest({ Child: ThrowsInCancel }),
}
