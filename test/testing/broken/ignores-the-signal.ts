import { honest, HonestChild } from '../honest.ts'
import type { Broken } from './broken.ts'

class IgnoresTheSignal extends HonestChild {
  override cancel(): void {}
  protected override listen(): void {}
}

export const ignoresTheSignal: Broken = {
  name: 'ignores cancel() and the signal',
  id: 'R7',
  sentence: 'a cancelled child settles by itself',
  seen: /settling\.draining, and nothing moves/,
  look: /cancel\(\), and who listens to context\.signal.*cancel\(\) was called once/,
  make: honest({ Child: IgnoresTheSignal }),
}
