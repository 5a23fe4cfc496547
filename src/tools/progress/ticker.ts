/** Tells that something has changed, not more often than once an interval: what comes in between counts as one change. */
import { deferred } from '../../run/deferred.ts'
import type { Deferred } from '../../run/deferred.ts'
import type { Clock } from '../../types.ts'

export class Ticker {
  #isChanged = false
  #isDue = false
  #isEnded = false
  #timer: unknown
  #waiting: Deferred<boolean> | undefined
  readonly #clock: Clock
  readonly #intervalMs: number

  /** The first interval begins now, so that what is over sooner is never told of. */
  constructor(clock: Clock, intervalMs: number) {
    this.#clock = clock
    this.#intervalMs = intervalMs
    this.#arm()
  }

  changed(): void {
    this.#isChanged = true
    if (this.#isDue) this.#tell()
  }

  end(): void {
    this.#isEnded = true
    this.#clock.clearTimeout(this.#timer)
    this.#tell()
  }

  /** Resolves to true when there is something to tell, to false at the end. One caller at a time. */
  next(): Promise<boolean> {
    const waiting = (this.#waiting = deferred<boolean>())
    this.#tell()
    return waiting.promise
  }

  #arm(): void {
    this.#isDue = false
    this.#timer = this.#clock.setTimeout(() => {
      this.#isDue = true
      this.#tell()
    }, this.#intervalMs)
  }

  #tell(): void {
    const waiting = this.#waiting
    if (!waiting || !(this.#isEnded || (this.#isDue && this.#isChanged))) return
    this.#waiting = undefined
    if (!this.#isEnded) {
      this.#isChanged = false
      this.#arm()
    }
    waiting.resolve(!this.#isEnded)
  }
}
