import { honest, HonestChild } from '../honest.ts'
import type { Broken } from './broken.ts'

class PretendsOutputSchema extends HonestChild {
  override structure(value: unknown): void {
    this.log.push({ type: 'text', text: JSON.stringify(value) })
    this.end()
  }
}

export const pretendsOutputSchema: Broken = {
  name: 'claims outputSchema and leaves the caller to parse the text',
  id: 'V4',
  sentence: 'a request with an outputSchema gets the structured result',
  seen: /completed, output "\{\\"answer\\":42\}"/,
  look: /else the capability is false/,
  make: honest({ Child: PretendsOutputSchema }),
}
