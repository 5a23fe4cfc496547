/** Ids that an agent gave, the last of them: it may give any number, of any length. */
import { createHash } from 'node:crypto'

const kept = 10_000
/** A longer one is known by its digest. */
const longest = 256

export class RecentIds {
  readonly #ids = new Set<string>()

  has(id: string): boolean {
    return this.#ids.has(keyOf(id))
  }

  add(id: string): void {
    this.#ids.add(keyOf(id))
    if (this.#ids.size > kept) for (const oldest of this.#ids) return void this.#ids.delete(oldest)
  }
}

const keyOf = (id: string): string => (id.length <= longest ? id : createHash('sha256').update(id).digest('base64'))
