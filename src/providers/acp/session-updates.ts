/**
 * The updates of one process, by session: those of its own are delivered, those from before it is known kept until it is, those
 * of others counted and dropped (A7).
 */
import { EarlyUpdates } from './early-updates.ts'

type Update = { readonly [field: string]: unknown }

export class SessionUpdates {
  sessionId: string | undefined = undefined
  /** Updates for sessions that are not this one's, dropped. */
  foreign = 0

  readonly #deliver: (update: Update) => void
  readonly #early = new EarlyUpdates()
  /** While a session is loaded, its past is told again. */
  #isReplaying = false

  /** @param deliver called with each of the own session, in their order; must not throw */
  constructor(deliver: (update: Update) => void) {
    this.#deliver = deliver
  }

  /** Those from before the session was known that were too many. */
  get droppedEarly(): number {
    return this.#early.dropped
  }

  /** All are dropped until then: they tell the past of a session that is loaded. */
  async whileReplaying<T>(load: () => Promise<T>): Promise<T> {
    this.#isReplaying = true
    try {
      return await load()
    } finally {
      this.#isReplaying = false
    }
  }

  /** The session is known: what came for it before is delivered. */
  adopt(sessionId: string): void {
    this.sessionId = sessionId
    const { own, foreign } = this.#early.take(sessionId)
    this.foreign += foreign
    for (const update of own) this.#deliver(update)
  }

  take(sessionId: string, update: Update): void {
    if (this.#isReplaying) return
    if (sessionId === this.sessionId) this.#deliver(update)
    else if (this.sessionId === undefined) this.#early.add(sessionId, update)
    else this.foreign++
  }
}
