import { honest, HonestChild } from '../honest.ts'
import type { Broken } from './broken.ts'

class PassesOnWhatDoesNotFit extends HonestChild {
  override structure(value: unknown): void {
    this.end({ structured: value })
  }
}

export const passesOnWhatDoesNotFit: Broken = {
  name: 'gives the structured result of its child without looking at it',
  id: 'V4',
  sentence: 'a structured result that does not fit the schema is not passed on',
  seen: /completed, .*structured \{"answer":"forty-two"\}/,
  look: /stopReason/,
  make: honest({ Child: PassesOnWhatDoesNotFit }),
}
