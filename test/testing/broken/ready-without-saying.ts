import { honest, HonestChild } from '../honest.ts'
import type { Broken } from './broken.ts'

class ReadyWithoutSaying extends HonestChild {
  protected override listen(): void {
    super.listen()
    void Promise.resolve().then(() => this.context.ready())
  }
}

export const readyWithoutSaying: Broken = {
  name: 'calls context.ready() and does not declare signalsReady',
  id: 'R18',
  sentence: 'context.ready() is called only by a provider that declares signalsReady',
  seen: /called, and counts for nothing/,
  look: /signalsReady of the provider: declare it/,
  make: honest({ Child: ReadyWithoutSaying, signalsReady: false }),
}
