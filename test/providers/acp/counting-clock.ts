import { systemClock } from '../../../src/run/defaults.ts'
import type { Clock } from '../../../src/index.ts'

/** The clock of the system, with its timers that have not come yet. */
export function countingClock(): { readonly clock: Clock; readonly timers: ReadonlySet<unknown> } {
  const timers = new Set<unknown>()
  const clock: Clock = {
    now: systemClock.now,
    setTimeout: (callback, ms) => {
      const timer = systemClock.setTimeout(() => {
        timers.delete(timer)
        callback()
      }, ms)
      timers.add(timer)
      return timer
    },
    clearTimeout: (timer) => {
      timers.delete(timer)
      systemClock.clearTimeout(timer)
    },
  }
  return { clock, timers }
}
