import { honest, HonestChild } from '../honest.ts'
import type { Broken } from './broken.ts'

class FiltersByDenyAlone extends HonestChild {
  override get tools(): string[] {
    return ['read', 'write'].filter((tool) => !this.request.toolFilter?.deny?.includes(tool))
  }
}

export const filtersByDenyAlone: Broken = {
  name: 'heeds what a filter denies, and not what it allows',
  id: 'P10',
  sentence: 'a filter that allows nothing hides every tool',
  seen: /\["read","write"\]/,
  look: /allow as well as deny/,
  make: honest({ Child: FiltersByDenyAlone }),
}
