import type { SubagentResult } from '../../../src/index.ts'
import { honest, HonestChild } from '../honest.ts'
import type { Broken } from './broken.ts'

class NewPromiseEachLook extends HonestChild {
  override get result(): Promise<SubagentResult> {
    return super.result.then((result) => ({ ...result }))
  }
}

export const newPromiseEachLook: Broken = {
  name: 'makes another promise each time that somebody looks',
  id: 'R4',
  sentence: 'the promise result is one, and settles once',
  seen: /another promise at each look/,
  look: /make the promise once, not in a getter/,
  make: honest({ Child: NewPromiseEachLook }),
}
