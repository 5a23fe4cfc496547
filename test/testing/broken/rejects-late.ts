import { honest, HonestChild } from '../honest.ts'
import type { Broken } from './broken.ts'

/** Its stream is closed under it, and nobody awaits the reader any more. */
class RejectsLate extends HonestChild {
  protected override async release(): Promise<void> {
    await super.release()
    void Promise.reject(new Error('the stream was closed'))
  }
}

export const rejectsLate: Broken = {
  name: 'leaves a promise behind that rejects late',
  id: 'R12',
  sentence: 'no rejection is left unhandled when a child completes',
  seen: /Error: the stream was closed/,
  look: /promises of the provider that nobody awaits/,
  make: honest({ Child: RejectsLate }),
}
