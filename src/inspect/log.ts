/**
 * The entries of a journal, as many as are kept, and those who read them.
 *
 * Invariants: memory is bounded by what is live and by `limit`; a reader has a place in the log and nothing of its own, so one
 * that is slow, or never comes back, costs nothing and holds up nobody; what it misses is counted and told to it, with
 * everything that it needs to go on.
 */
import type { Clock } from '../types.ts'
import type { EntryDraft, JournalEntry } from './entries.ts'
import { Seed } from './seed.ts'

/** How a reader takes its entries, and when it stops. */
export interface ReadOptions {
  /** Entries that are handed over at once. @default 1000 */
  readonly most?: number
  /** How long to wait after an entry has come for others to come with it, in milliseconds. @default 0 */
  readonly gatherMs?: number
  /** Ends the reading after what is there when it aborts. */
  readonly signal?: AbortSignal
  /** Called with how many entries the reader was too slow for. */
  readonly onDropped?: (count: number) => void
}

export class EntryLog {
  #seq = 0
  #kept: JournalEntry[] = []
  #closed = false
  #waiting: (() => void)[] = []
  readonly #atClose = new Set<() => void>()
  readonly #seed = new Seed()
  readonly #limit: number
  readonly #clock: Clock

  /** @param limit entries that are kept at least; at times they are twice as many */
  constructor(limit: number, clock: Clock) {
    this.#limit = limit
    this.#clock = clock
  }

  push(draft: EntryDraft): void {
    if (this.#closed) return
    this.#kept.push({ seq: this.#seq++, at: this.#clock.now(), ...draft } as JournalEntry)
    // A log's length at a time, so that an entry costs no shift.
    if (this.#kept.length >= 2 * this.#limit) this.#trim()
    if (this.#waiting.length > 0) this.#wake()
  }

  close(): void {
    this.#closed = true
    for (const done of this.#atClose) done()
  }

  /** From the first entry that is kept, and what has to be known before it, to the end of the journal. */
  async *read({ most = 1000, gatherMs = 0, signal, onDropped }: ReadOptions = {}): AsyncGenerator<
    readonly JournalEntry[],
    void,
    undefined
  > {
    const seed = this.#seed.entries()
    let next = this.#first
    let end = Infinity
    if (seed.length > 0) yield seed
    for (;;) {
      if (signal?.aborted) end = Math.min(end, this.#seq)
      if (next >= end) return
      if (next < this.#first) {
        const count = this.#first - next
        onDropped?.(count)
        next = this.#first
        yield [{ seq: next - 1, at: this.#clock.now(), type: 'dropped', count }, ...this.#seed.entries()]
      } else if (next < this.#seq) {
        const at = next - this.#first
        const batch = this.#kept.slice(at, Math.min(at + most, end - this.#first))
        next += batch.length
        yield batch
      } else if (this.#closed) return
      else {
        await this.#more(signal)
        if (gatherMs > 0) await this.#pause(gatherMs, signal)
      }
    }
  }

  get #first(): number {
    return this.#seq - this.#kept.length
  }

  #trim(): void {
    const excess = this.#kept.length - this.#limit
    for (let index = 0; index < excess; index++) this.#seed.take(this.#kept[index]!)
    this.#kept = this.#kept.slice(excess)
  }

  #more(signal: AbortSignal | undefined): Promise<void> {
    return this.#until(signal, (done) => {
      this.#waiting.push(done)
      return () => {}
    })
  }

  #pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return this.#until(signal, (done) => {
      const timer = this.#clock.setTimeout(done, ms)
      return () => this.#clock.clearTimeout(timer)
    })
  }

  /** What `arm` waits for, or the end of the journal, or the signal, whichever comes first. */
  #until(signal: AbortSignal | undefined, arm: (done: () => void) => () => void): Promise<void> {
    if (this.#closed || signal?.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        disarm()
        signal?.removeEventListener('abort', done)
        this.#atClose.delete(done)
        resolve()
      }
      const disarm = arm(done)
      signal?.addEventListener('abort', done)
      this.#atClose.add(done)
    })
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const done of waiting) done()
  }
}
