import { honest, HonestChild } from '../honest.ts'
import type { Broken } from './broken.ts'

/** Keeps one child in a variable, as if there were never two. */
let current: OneChildAtATime
class OneChildAtATime extends HonestChild {
  protected override listen(): void {
    // oxlint-disable-next-line typescript/no-this-alias
    current = this
    super.listen()
  }
  override cancel(): void {
    if (!this.fate.deaf) current.end({ stopReason: 'aborted' })
  }
}

export const oneChildAtATime: Broken = {
  name: 'cancels the latest child, whichever was meant',
  id: 'P15',
  sentence: 'a child that is cancelled leaves its sibling alone',
  seen: /settling\.draining, and nothing moves/,
  look: /or what the children of the provider share/,
  make: honest({ Child: OneChildAtATime }),
}
