/**
 * Slots as the model has them: one list of who waits, in the order in which they came (S21).
 */
import type { Limits } from './actions.ts'
import type { ModelRun } from './model-run.ts'

export class ModelSlots {
  readonly #maxTotal: number
  readonly #maxEach: number
  readonly #waiting: ModelRun[] = []
  readonly #taken: ModelRun[] = []

  constructor({ maxConcurrentRuns = Infinity, maxConcurrentPerProvider = Infinity }: Limits) {
    this.#maxTotal = maxConcurrentRuns
    this.#maxEach = maxConcurrentPerProvider
  }

  /** False where the run has to wait. A run below a live one takes none. */
  take(run: ModelRun): boolean {
    if (run.parent) return true
    if (this.#waiting.some(({ provider }) => provider === run.provider) || !this.#hasRoom(run)) return false
    this.#taken.push(run)
    return true
  }

  wait(run: ModelRun): void {
    this.#waiting.push(run)
  }

  /** False where it had neither a slot nor a place in the queue. */
  giveBack(run: ModelRun): boolean {
    return remove(this.#waiting, run) || remove(this.#taken, run)
  }

  /** Of those that wait, the first that has room: it has its slot now. */
  next(): ModelRun | undefined {
    const next = this.#waiting.find((run) => this.#hasRoom(run))
    if (!next) return undefined
    remove(this.#waiting, next)
    this.#taken.push(next)
    return next
  }

  #hasRoom({ provider }: ModelRun): boolean {
    return this.#taken.length < this.#maxTotal && this.#taken.filter((other) => other.provider === provider).length < this.#maxEach
  }
}

function remove(runs: ModelRun[], run: ModelRun): boolean {
  const place = runs.indexOf(run)
  if (place >= 0) runs.splice(place, 1)
  return place >= 0
}
