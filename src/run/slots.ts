/**
 * Slots: how many runs may be unsettled at once, in all and a provider; who waits, first come first served (S21).
 *
 * A run whose parent is itself a live run's child takes no slot of its own, so that a tree cannot deadlock on itself.
 */
import { SubagentError } from '../errors.ts'
import type { RunRecord } from './record.ts'

export interface SlotLimits {
  /** @default unlimited */
  readonly maxConcurrentRuns?: number
  /** @default unlimited */
  readonly maxConcurrentPerProvider?: number
}

export class Slots {
  readonly #maxTotal: number
  readonly #maxEach: number
  /** By provider; a waiter with its ticket, in the order of arrival. */
  readonly #waiting = new Map<string, Map<RunRecord, number>>()
  readonly #taken = new Map<string, number>()
  #total = 0
  #closed = false
  #lettingIn = false
  #tickets = 0

  constructor({ maxConcurrentRuns = Infinity, maxConcurrentPerProvider = Infinity }: SlotLimits) {
    this.#maxTotal = maxConcurrentRuns
    this.#maxEach = maxConcurrentPerProvider
  }

  /** True if the run may start now; it then has its slot. Nobody overtakes a waiter of the same provider. */
  take(record: RunRecord): boolean {
    if (this.#maxTotal === Infinity && this.#maxEach === Infinity) return true
    if (record.parentRunId !== undefined) return true
    if (this.#waiting.has(record.providerName) || !this.#free(record.providerName)) return false
    this.#count(record, 1)
    return true
  }

  /** CONCURRENCY_LIMIT for a run that finds no slot, with the limits that have none left. */
  refusal(provider: string): SubagentError {
    const reached: string[] = []
    if (this.#total >= this.#maxTotal) reached.push(`maxConcurrentRuns is ${this.#maxTotal}, for all providers together`)
    if ((this.#taken.get(provider) ?? 0) >= this.#maxEach) reached.push(`maxConcurrentPerProvider is ${this.#maxEach}`)
    return new SubagentError(
      'CONCURRENCY_LIMIT',
      `No slot is free for provider ${JSON.stringify(provider)}: ${reached.join(', and ')}. ` +
        `Start again when a run has settled, raise ${reached.length > 1 ? 'both' : 'that'}, or use queue: 'wait'.`,
    )
  }

  wait(record: RunRecord): void {
    let queue = this.#waiting.get(record.providerName)
    if (!queue) this.#waiting.set(record.providerName, (queue = new Map()))
    queue.set(record, this.#tickets++)
  }

  /** From now on nobody is let in: who waits is ended by whoever closes. */
  close(): void {
    this.#closed = true
  }

  /**
   * Gives up the slot, or the place in the queue, and lets in who fits. Idempotent. One that is let in and gives its slot back
   * at once leaves the next to whoever let it in: a queue of runs that cannot start is no recursion.
   */
  release(record: RunRecord): void {
    if (!this.#leaveQueue(record)) {
      if (!record.hasSlot) return
      this.#count(record, -1)
    }
    if (this.#lettingIn) return
    this.#lettingIn = true
    for (let next = this.#next(); next; next = this.#next()) {
      this.#leaveQueue(next)
      this.#count(next, 1)
      next.send({ type: 'slot' })
    }
    this.#lettingIn = false
  }

  #leaveQueue(record: RunRecord): boolean {
    const queue = this.#waiting.get(record.providerName)
    if (!queue?.delete(record)) return false
    if (queue.size === 0) this.#waiting.delete(record.providerName)
    return true
  }

  /** Of the heads of all queues that have room, the one that came first. */
  #next(): RunRecord | undefined {
    if (this.#closed) return undefined
    let first: RunRecord | undefined
    let lowest = Infinity
    for (const [provider, queue] of this.#waiting) {
      if (!this.#free(provider)) continue
      const [record, ticket] = queue.entries().next().value!
      if (ticket < lowest) [first, lowest] = [record, ticket]
    }
    return first
  }

  #free(provider: string): boolean {
    return this.#total < this.#maxTotal && (this.#taken.get(provider) ?? 0) < this.#maxEach
  }

  #count(record: RunRecord, by: 1 | -1): void {
    record.hasSlot = by === 1
    this.#total += by
    const taken = (this.#taken.get(record.providerName) ?? 0) + by
    if (taken > 0) this.#taken.set(record.providerName, taken)
    else this.#taken.delete(record.providerName)
  }
}
