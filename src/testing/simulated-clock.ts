/**
 * A clock that stands still until it is told to move (K2): timers fire in the order they are due, at the time they are due.
 */
import type { Clock } from '../types.ts'

export interface SimulatedClock extends Clock {
  /** Moves time forward by `ms`, firing what falls due on the way; timers that those set are included. */
  advance(ms: number): void
  /** Timers that are set. */
  readonly pending: number
}

/** @param startAt milliseconds since the epoch @default 0 */
export function createSimulatedClock(startAt = 0): SimulatedClock {
  const timers = new Map<number, { readonly dueAt: number; readonly callback: () => void }>()
  let now = startAt
  let made = 0

  const nextDue = (until: number): number | undefined => {
    let next: number | undefined
    for (const [id, { dueAt }] of timers) if (dueAt <= until && (next === undefined || dueAt < timers.get(next)!.dueAt)) next = id
    return next
  }

  return {
    now: () => now,
    setTimeout: (callback, ms) => {
      timers.set(++made, { dueAt: now + Math.max(0, ms), callback })
      return made
    },
    clearTimeout: (id) => void timers.delete(id as number),
    advance: (ms) => {
      const until = now + ms
      for (let id = nextDue(until); id !== undefined; id = nextDue(until)) {
        const { dueAt, callback } = timers.get(id)!
        timers.delete(id)
        now = dueAt
        callback()
      }
      now = until
    },
    get pending() {
      return timers.size
    },
  }
}
