import type { ContentBlock, ProviderRun, RunContext } from '../../../src/index.ts'
import { honest, HonestChild } from '../honest.ts'
import type { Broken } from './broken.ts'

class ForgetsTheNewPrompt extends HonestChild {
  override resume(_: ContentBlock[], context: RunContext): ProviderRun {
    return this.another(this.request, context)
  }
}

export const forgetsTheNewPrompt: Broken = {
  name: 'resumes with the prompt of the first run',
  id: 'P12',
  sentence: 'a child that is continued gets the new prompt',
  seen: /Do it/,
  look: /request\.prompt/,
  make: honest({ Child: ForgetsTheNewPrompt }),
}
