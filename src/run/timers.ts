/**
 * The timers of one run, by name: deadline, grace, release. A paused timer keeps what was left of it (R9).
 */
import type { RunTimer } from '../machines/run.ts'
import type { Clock } from '../types.ts'

interface Entry {
  id: unknown
  dueAt: number
  left: number
}

export class RunTimers {
  readonly #entries = new Map<RunTimer, Entry>()
  readonly #clock: Clock
  readonly #due: (timer: RunTimer) => void

  constructor(clock: Clock, due: (timer: RunTimer) => void) {
    this.#clock = clock
    this.#due = due
  }

  arm(timer: RunTimer, ms: number): void {
    this.disarm(timer)
    const id = this.#clock.setTimeout(() => this.#due(timer), ms)
    this.#entries.set(timer, { id, dueAt: this.#clock.now() + ms, left: ms })
  }

  disarm(timer: RunTimer): void {
    const entry = this.#entries.get(timer)
    if (!entry) return
    this.#clock.clearTimeout(entry.id)
    this.#entries.delete(timer)
  }

  pause(timer: RunTimer): void {
    const entry = this.#entries.get(timer)
    if (!entry) return
    this.#clock.clearTimeout(entry.id)
    entry.left = Math.max(0, entry.dueAt - this.#clock.now())
  }

  resume(timer: RunTimer): void {
    const entry = this.#entries.get(timer)
    if (entry) this.arm(timer, entry.left)
  }

  disarmAll(): void {
    for (const timer of this.#entries.keys()) this.disarm(timer)
  }
}
