import { honest, HonestChild } from '../honest.ts'
import type { Broken } from './broken.ts'

class NeverReady extends HonestChild {
  override ready(): void {}
}

export const neverReady: Broken = {
  name: 'declares signalsReady and never comes ready',
  id: 'R18',
  sentence: 'start() gives back a run at once: { result, cancel, dispose }',
  seen: /state starting, and nothing moves/,
  look: /context\.ready\(\), which was never called/,
  make: honest({ Child: NeverReady }),
}
