import type { ContentBlock, ProviderRun, RunContext } from '../../../src/index.ts'
import { honest, HonestChild } from '../honest.ts'
import type { Broken } from './broken.ts'

class RepeatsItsEarlierAnswer extends HonestChild {
  override resume(prompt: ContentBlock[], context: RunContext): ProviderRun {
    const next = super.resume(prompt, context) as RepeatsItsEarlierAnswer
    next.log.push(...this.log)
    return next
  }
}

export const repeatsItsEarlierAnswer: Broken = {
  name: 'answers a resumed run with all that was ever said',
  id: 'P12',
  sentence: 'the answer of a run that continues a child is its own',
  seen: /"the first partthe rest"/,
  look: /what this run came to/,
  make: honest({ Child: RepeatsItsEarlierAnswer }),
}
