import type { ProviderRun } from '../../../src/index.ts'
import { honest, HonestChild } from '../honest.ts'
import type { Broken } from './broken.ts'

class ResumesTheDead extends HonestChild {
  override resume(): ProviderRun {
    return this
  }
}

export const resumesTheDead: Broken = {
  name: 'resumes by giving back the run that has settled',
  id: 'P12',
  sentence: 'resume is absent, or continues the child in a new run',
  seen: /the run that has settled/,
  look: /begins another run/,
  make: honest({ Child: ResumesTheDead }),
}
