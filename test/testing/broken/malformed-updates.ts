import { honest, HonestChild } from '../honest.ts'
import type { Broken } from './broken.ts'

class MalformedUpdates extends HonestChild {
  override stream(part: string): void {
    super.stream(part)
    this.context.update({ type: 'text', delta: part } as never)
  }
}

export const malformedUpdates: Broken = {
  name: 'has its own word for the text of an update',
  id: 'R16',
  sentence: 'updates are well formed',
  seen: /text of a text update is no string: \{"type":"text","delta":"one "\}/,
  look: /what context\.update\(\) is called with/,
  make: honest({ Child: MalformedUpdates }),
}
