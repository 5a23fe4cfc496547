import { honest, HonestChild } from '../honest.ts'
import type { Broken } from './broken.ts'

class HidesFailures extends HonestChild {
  override fail(message: string): void {
    this.complete(`Error: ${message}`)
  }
}

export const hidesFailures: Broken = {
  name: 'passes a failure off as an answer',
  id: 'R13',
  sentence: 'a child that fails at its work resolves result as error, with a failure',
  seen: /completed, output "Error: the child could not do it"/,
  look: /stopReason of what result resolves with/,
  make: honest({ Child: HidesFailures }),
}
