/** Updates that come before the answer that names their session (A9). */

type Fields = { readonly [field: string]: unknown }

/** More than these an agent has no reason to send before a session is there. */
const kept = 1_000

export class EarlyUpdates {
  #updates: { readonly sessionId: string; readonly update: Fields }[] = []
  #dropped = 0

  add(sessionId: string, update: Fields): void {
    if (this.#updates.length < kept) this.#updates.push({ sessionId, update })
    else this.#dropped++
  }

  /** @returns those of the session in order, and how many were for others or too many */
  take(sessionId: string): { readonly own: readonly Fields[]; readonly foreign: number } {
    const updates = this.#updates
    this.#updates = []
    const own = updates.filter((each) => each.sessionId === sessionId).map(({ update }) => update)
    return { own, foreign: updates.length - own.length + this.#dropped }
  }
}
