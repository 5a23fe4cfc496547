import { honest, HonestChild } from '../honest.ts'
import type { Broken } from './broken.ts'

class DisposesOnlyTheSettled extends HonestChild {
  override cancel(): void {}
  protected override listen(): void {}
  protected override async release(): Promise<void> {
    await this.result
    await super.release()
  }
}

export const disposesOnlyTheSettled: Broken = {
  name: 'waits in dispose() for a child that nothing has stopped',
  id: 'R10',
  sentence: 'dispose() in the middle of the work cancels the child, and leaves nothing of it',
  seen: /settling\.draining, and nothing moves/,
  look: /dispose\(\) of the run that start\(\) gave: it was never called, since the child has not settled/,
  make: honest({ Child: DisposesOnlyTheSettled }),
}
