import { honest, HonestChild } from '../honest.ts'
import type { Broken } from './broken.ts'

class CompletesWithoutTheResult extends HonestChild {
  override complete(answer: string): void {
    this.log.push({ type: 'text', text: answer })
    this.end()
  }
}

export const completesWithoutTheResult: Broken = {
  name: 'takes text for the structured result that was asked for',
  id: 'V4',
  sentence: 'a child that ends without the structured result has failed, and its text is kept',
  seen: /completed, output "answer"/,
  look: /stopReason/,
  make: honest({ Child: CompletesWithoutTheResult }),
}
