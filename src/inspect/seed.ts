/**
 * What a reader has to know of before the first entry that is still kept: charts, providers, and the actors that were live
 * then, each with the state that it was in (I2).
 *
 * Fed with the entries that go, so that seed and kept entries together always tell the present. What ended before is gone.
 */
import type { JournalEntry, JournalEntryOf } from './entries.ts'

interface Live {
  actor: JournalEntryOf<'actor'>
  start?: JournalEntry
  usage?: JournalEntry
  end?: JournalEntry
}

export class Seed {
  #header: JournalEntry | undefined
  readonly #charts: JournalEntry[] = []
  readonly #providers = new Map<string, JournalEntry>()
  readonly #live = new Map<string, Live>()

  /** Takes over an entry that is kept no longer. */
  take(entry: JournalEntry): void {
    if (entry.type === 'journal') this.#header = entry
    else if (entry.type === 'chart') this.#charts.push(entry)
    else if (entry.type === 'provider') {
      if (entry.added) this.#providers.set(entry.provider, entry)
      else this.#providers.delete(entry.provider)
    } else if (entry.type === 'actor') this.#live.set(entry.actor, { actor: entry })
    else if (entry.type !== 'dropped') this.#change(entry)
  }

  /** In the order in which they were made. */
  entries(): JournalEntry[] {
    const live = [...this.#live.values()].flatMap(({ actor, start, usage, end }) => [actor, start, usage, end])
    const all = [this.#header, ...this.#charts, ...this.#providers.values(), ...live]
    return all.filter((entry): entry is JournalEntry => entry !== undefined).sort((a, b) => a.seq - b.seq)
  }

  #change(entry: Extract<JournalEntry, { type: 'event' | 'snapshot' | 'start' | 'update' | 'end' }>): void {
    const live = this.#live.get(entry.actor)
    if (!live) return
    if (entry.type === 'start') live.start = entry
    else if (entry.type === 'end') live.end = entry
    else if (entry.type === 'update') {
      if (entry.update.usage) live.usage = entry
    } else if (entry.type === 'snapshot') {
      const { at, status, value } = entry
      const { actor } = live
      if (status !== 'active') this.#live.delete(entry.actor)
      else live.actor = { ...actor, at, since: actor.since ?? actor.at, ...(value !== undefined && { value }) }
    }
  }
}
