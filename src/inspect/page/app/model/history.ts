/**
 * The entries that a page holds, and the state at any of them. Entries are found by actor; of a recording a state is kept every
 * so often, which costs little since states share what is the same in them.
 */
import { applyEntry, emptyJournalState } from '../../../state.ts'
import type { JournalState } from '../../../state.ts'
import type { JournalEntry } from '../../../entries.ts'

const between = 2000
/** Of a live journal the oldest quarter goes when there are so many. */
export const mostEntries = 400_000

export class History {
  entries: JournalEntry[] = []
  state: JournalState = emptyJournalState
  /** Entries that went for others to come. */
  forgotten = 0
  readonly #keepsAll: boolean
  readonly #most: number
  readonly #states: JournalState[] = []
  #byActor = new Map<string, number[]>()
  #actorsOfRun = new Map<string, string[]>()

  /**
   * @param keepsAll true for a recording, to which one goes back
   * @param most of a live journal, how many entries are kept; a multiple of 4
   */
  constructor(keepsAll: boolean, most: number = mostEntries) {
    this.#keepsAll = keepsAll
    this.#most = most
  }

  push(entry: JournalEntry): void {
    if (this.#keepsAll && this.entries.length % between === 0) this.#states.push(this.state)
    this.state = applyEntry(this.state, entry)
    if (!this.#keepsAll && this.entries.length >= this.#most) this.#forget()
    this.#index(entry, this.entries.length)
    this.entries.push(entry)
  }

  /** Of a recording: the state after its first `count` entries. */
  stateAt(count: number): JournalState {
    if (count >= this.entries.length) return this.state
    const kept = Math.floor(count / between)
    let state = this.#states[kept] ?? emptyJournalState
    for (let index = kept * between; index < count; index++) state = applyEntry(state, this.entries[index]!)
    return state
  }

  /** How many entries were made until then. */
  countAt(at: number): number {
    let [low, high] = [0, this.entries.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.entries[middle]!.at <= at) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Of these actors, as those who act or are acted on, in order, of the first `count`. */
  of(actors: readonly string[], count: number = this.entries.length): JournalEntry[] {
    const positions = new Set(actors.flatMap((actor) => this.#byActor.get(actor) ?? []))
    return [...positions]
      .filter((position) => position < count)
      .sort((a, b) => a - b)
      .map((position) => this.entries[position]!)
  }

  /** Those who work for a run, itself first. */
  actorsOf(run: string): readonly string[] {
    return this.#actorsOfRun.get(run) ?? [run]
  }

  #index(entry: JournalEntry, position: number): void {
    if (!('actor' in entry)) return
    this.#add(this.#byActor, entry.actor, position)
    if (entry.type === 'event' && entry.source !== undefined && entry.source !== entry.actor)
      this.#add(this.#byActor, entry.source, position)
    if (entry.type === 'actor' && entry.run !== undefined && !this.#actorsOfRun.get(entry.run)?.includes(entry.actor))
      this.#add(this.#actorsOfRun, entry.run, entry.actor)
  }

  #add<Item>(lists: Map<string, Item[]>, key: string, item: Item): void {
    const list = lists.get(key)
    if (list) list.push(item)
    else lists.set(key, [item])
  }

  #forget(): void {
    const count = this.#most / 4
    this.forgotten += count
    this.entries = this.entries.slice(count)
    this.#byActor = new Map()
    this.#actorsOfRun = new Map()
    this.entries.forEach((entry, position) => this.#index(entry, position))
  }
}
