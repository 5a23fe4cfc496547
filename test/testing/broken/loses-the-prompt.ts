import { honest, HonestChild } from '../honest.ts'
import type { Broken } from './broken.ts'

class LosesThePrompt extends HonestChild {
  override get prompt(): string {
    return this.request.label ?? 'Do what you think is best.'
  }
}

export const losesThePrompt: Broken = {
  name: 'gives its child another prompt',
  id: 'V3',
  sentence: 'the child gets the prompt',
  seen: /"Do what you think is best\."/,
  look: /request\.prompt has to reach the child/,
  make: honest({ Child: LosesThePrompt }),
}
