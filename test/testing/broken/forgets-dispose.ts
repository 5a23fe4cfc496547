import { honest, HonestChild } from '../honest.ts'
import type { Broken } from './broken.ts'

class ForgetsDispose extends HonestChild {
  override dispose(): Promise<void> {
    return Promise.resolve()
  }
}

export const forgetsDispose: Broken = {
  name: 'forgets what dispose() is for: its timer goes on',
  id: 'R10',
  sentence: 'dispose() after the end leaves nothing of the child',
  seen: /1 set/,
  look: /clear every timer of context\.clock/,
  make: honest({ Child: ForgetsDispose }),
}
