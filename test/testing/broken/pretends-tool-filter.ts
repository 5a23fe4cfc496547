import { honest, HonestChild } from '../honest.ts'
import type { Broken } from './broken.ts'

class PretendsToolFilter extends HonestChild {
  override get tools(): string[] {
    return ['read', 'write']
  }
}

export const pretendsToolFilter: Broken = {
  name: 'claims toolFilter and offers every tool',
  id: 'P10',
  sentence: 'a denied tool is not offered to the child',
  seen: /\["read","write"\]/,
  look: /else the capability toolFilter is false/,
  make: honest({ Child: PretendsToolFilter }),
}
