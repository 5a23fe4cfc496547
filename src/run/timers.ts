/**
 * The timers of one run, by name: deadline, grace, release. A paused timer keeps what was left of it (R9).
 */
import type { RunTimer } from '../machines/run.ts'
import type { Clock } from '../types.ts'

interface Entry {
  id: unknown
  dueAt: number
  left: number
  isPaused: boolean
  readonly due: () => void
}

/** A field a timer and no map of them: thousands of runs have theirs armed at once. */
export class RunTimers implements Record<RunTimer, unknown> {
  deadline: Entry | undefined = undefined
  grace: Entry | undefined = undefined
  release: Entry | undefined = undefined
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  arm(timer: RunTimer, ms: number, due: () => void): void {
    this.disarm(timer)
    this[timer] = { id: this.#clock.setTimeout(due, ms), dueAt: this.#clock.now() + ms, left: ms, isPaused: false, due }
  }

  disarm(timer: RunTimer): void {
    const entry = this[timer]
    if (!entry) return
    this.#clock.clearTimeout(entry.id)
    this[timer] = undefined
  }

  pause(timer: RunTimer): void {
    const entry = this[timer]
    if (!entry || entry.isPaused) return
    this.#clock.clearTimeout(entry.id)
    entry.isPaused = true
    entry.left = Math.max(0, entry.dueAt - this.#clock.now())
  }

  resume(timer: RunTimer): void {
    const entry = this[timer]
    if (entry?.isPaused) this.arm(timer, entry.left, entry.due)
  }

  disarmAll(): void {
    this.disarm('deadline')
    this.disarm('grace')
    this.disarm('release')
  }
}
