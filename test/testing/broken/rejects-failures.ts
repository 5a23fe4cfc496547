import { honest, HonestChild } from '../honest.ts'
import type { Broken } from './broken.ts'

class RejectsFailures extends HonestChild {
  override fail(message: string): void {
    this.reject(new Error(message))
  }
}

export const rejectsFailures: Broken = {
  name: 'rejects result where the child fails at its work',
  id: 'R13',
  sentence: 'a child that fails at its work resolves result as error, with a failure',
  seen: /rejected with Error: the child could not do it/,
  look: /also a failure, is a result and no rejection/,
  make: honest({ Child: RejectsFailures }),
}
