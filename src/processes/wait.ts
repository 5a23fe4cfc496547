/**
 * Waits of a teardown, each with a bound.
 */
import type { Clock } from '../types.ts'

/**
 * @returns true when `condition` came within `ms`. The timer is gone afterwards, and does not keep the host: what is waited
 * for does.
 */
export function isWithin(clock: Clock, ms: number, condition: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = clock.setTimeout(() => resolve(false), ms)
    unref(timer)
    void condition.then(() => {
      clock.clearTimeout(timer)
      resolve(true)
    })
  })
}

/** Timers of the system's clock can let the event loop end; those of a simulated one need not. */
export function unref(timer: unknown): void {
  ;(timer as { unref?(): void } | undefined)?.unref?.()
}

/**
 * Looks until `isDone`, at first often and then less, for `ms` at most.
 *
 * Its short timers keep the host: between two looks nothing else might, and a host that awaits the end of a teardown would
 * exit in the middle of it.
 */
export async function lookUntil<T>(clock: Clock, ms: number, look: () => Promise<T>, isDone: (seen: T) => boolean): Promise<T> {
  const until = clock.now() + ms
  let pause = 1
  let seen = await look()
  while (!isDone(seen)) {
    const left = until - clock.now()
    if (left <= 0) break
    const delay = Math.min(pause, left)
    await new Promise<void>((resolve) => void clock.setTimeout(resolve, delay))
    pause = Math.min(pause * 2, 50)
    seen = await look()
  }
  return seen
}

/** Looks once, in `ms`. Its timer keeps the host, as those of {@link lookUntil}. */
export async function lookAfter<T>(clock: Clock, ms: number, look: () => Promise<T>): Promise<T> {
  await new Promise<void>((resolve) => void clock.setTimeout(resolve, ms))
  return look()
}
