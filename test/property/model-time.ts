/**
 * Time as the model has it: timers by run and name, fired in the order in which they are due, then of their making.
 */
import type { ModelRun, Timer, TimerName } from './model-run.ts'

export class ModelTime {
  now = 0
  readonly timers = new Set<Timer>()
  #made = 0

  arm(run: ModelRun | 'close', name: TimerName, ms: number): Timer {
    const timer: Timer = { run, name, dueAt: this.now + ms, made: this.#made++ }
    this.timers.add(timer)
    if (run !== 'close') run.timers.set(name, timer)
    return timer
  }

  disarm(run: ModelRun, name: TimerName): void {
    const timer = run.timers.get(name)
    if (!timer) return
    run.timers.delete(name)
    if ('dueAt' in timer) this.timers.delete(timer)
  }

  disarmAll(run: ModelRun): void {
    for (const name of run.timers.keys()) this.disarm(run, name)
  }

  /** The clock of a run stands still while a question is open (R9). */
  pause(run: ModelRun, name: TimerName): void {
    const timer = run.timers.get(name)
    if (!timer || !('dueAt' in timer)) return
    this.timers.delete(timer)
    run.timers.set(name, { left: timer.dueAt - this.now })
  }

  resume(run: ModelRun, name: TimerName): void {
    const timer = run.timers.get(name)
    if (timer && 'left' in timer) this.arm(run, name, timer.left)
  }

  advance(ms: number, due: (run: ModelRun, name: TimerName) => void): void {
    const until = this.now + ms
    for (let next = this.#next(until); next; next = this.#next(until)) {
      this.now = next.dueAt
      this.timers.delete(next)
      if (next.run !== 'close') due(next.run, next.name)
    }
    this.now = until
  }

  #next(until: number): Timer | undefined {
    let next: Timer | undefined
    for (const timer of this.timers)
      if (timer.dueAt <= until && (!next || timer.dueAt < next.dueAt || (timer.dueAt === next.dueAt && timer.made < next.made)))
        next = timer
    return next
  }
}
