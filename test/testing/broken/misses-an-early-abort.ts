import { honest, HonestChild } from '../honest.ts'
import type { Broken } from './broken.ts'

/** Leaves everything to the signal, and does not see one that has aborted already. */
class MissesAnEarlyAbort extends HonestChild {
  override cancel(): void {}
  protected override listen(): void {
    if (!this.fate.deaf) this.context.signal.addEventListener('abort', () => this.end({ stopReason: 'aborted' }))
  }
}

export const missesAnEarlyAbort: Broken = {
  name: 'waits for an abort that has been already',
  id: 'R7',
  sentence: 'a child whose signal aborts while start() is on the stack settles by itself',
  seen: /settling\.draining, and nothing moves/,
  look: /who listens to context\.signal/,
  make: honest({ Child: MissesAnEarlyAbort }),
}
