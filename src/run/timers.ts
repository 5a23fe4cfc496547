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

export class RunTimers {
  readonly #entries = new Map<RunTimer, Entry>()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  arm(timer: RunTimer, ms: number, due: () => void): void {
    this.disarm(timer)
    this.#entries.set(timer, { id: this.#clock.setTimeout(due, ms), dueAt: this.#clock.now() + ms, left: ms, isPaused: false, due })
  }

  disarm(timer: RunTimer): void {
    const entry = this.#entries.get(timer)
    if (!entry) return
    this.#clock.clearTimeout(entry.id)
    this.#entries.delete(timer)
  }

  pause(timer: RunTimer): void {
    const entry = this.#entries.get(timer)
    if (!entry || entry.isPaused) return
    this.#clock.clearTimeout(entry.id)
    entry.isPaused = true
    entry.left = Math.max(0, entry.dueAt - this.#clock.now())
  }

  resume(timer: RunTimer): void {
    const entry = this.#entries.get(timer)
    if (entry?.isPaused) this.arm(timer, entry.left, entry.due)
  }

  disarmAll(): void {
    for (const timer of this.#entries.keys()) this.disarm(timer)
  }
}
