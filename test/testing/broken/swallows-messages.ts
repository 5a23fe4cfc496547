import { honest, HonestChild } from '../honest.ts'
import type { Broken } from './broken.ts'

class SwallowsMessages extends HonestChild {
  override sendMessage(): void {}
}

export const swallowsMessages: Broken = {
  name: 'has a sendMessage() that does nothing',
  id: 'P12',
  sentence: 'sendMessage is absent, or reaches the child',
  seen: /""/,
  look: /else leave the method out/,
  make: honest({ Child: SwallowsMessages }),
}
