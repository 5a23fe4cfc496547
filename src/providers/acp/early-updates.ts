/** Updates that come before the answer that names their session (A9). */
import { estimateSize } from '../../run/size.ts'

type Fields = { readonly [field: string]: unknown }

/** More than these an agent has no reason to send before a session is there. */
const kept = 1_000
const keptCharacters = 8 * 1024 * 1024

export class EarlyUpdates {
  #updates: { readonly sessionId: string; readonly update: Fields }[] = []
  #size = 0
  /** Those that were too many, of whatever session. */
  dropped = 0

  add(sessionId: string, update: Fields): void {
    const size = sessionId.length + estimateSize(update)
    if (this.#updates.length < kept && this.#size + size <= keptCharacters) {
      this.#updates.push({ sessionId, update })
      this.#size += size
    } else this.dropped++
  }

  /** @returns those of the session in order, and how many were for others */
  take(sessionId: string): { readonly own: readonly Fields[]; readonly foreign: number } {
    const updates = this.#updates
    this.#updates = []
    this.#size = 0
    const own = updates.filter((each) => each.sessionId === sessionId).map(({ update }) => update)
    return { own, foreign: updates.length - own.length }
  }
}
