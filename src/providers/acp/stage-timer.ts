/** The time that a stage has, on the injected clock. */
import { unref } from '../../processes/wait.ts'
import type { Clock } from '../../types.ts'

export interface StageTimer {
  /** The time begins anew. */
  reset(): void
  pause(): void
  stop(): void
}

/**
 * Calls back once, `ms` after it was made or last reset. It does not keep the host: the process that is waited for does, unless
 * it is one that shall not.
 */
export function startStageTimer(clock: Clock, ms: number, due: () => void): StageTimer {
  let timer: unknown
  let isOver = false
  const clear = (): void => {
    if (timer !== undefined) clock.clearTimeout(timer)
    timer = undefined
  }
  const arm = (): void => {
    timer = clock.setTimeout(() => {
      timer = undefined
      isOver = true
      due()
    }, ms)
    unref(timer)
  }
  arm()
  return {
    reset() {
      if (isOver) return
      clear()
      arm()
    },
    pause: clear,
    stop() {
      isOver = true
      clear()
    },
  }
}

/** Waits that long, or until `until` is settled. */
export async function waitAtMost(clock: Clock, ms: number, until: Promise<unknown>): Promise<void> {
  if (ms <= 0) return
  let timer: unknown
  const due = new Promise<void>((resolve) => (timer = clock.setTimeout(resolve, ms)))
  await Promise.race([due, until.then(ignore, ignore)])
  clock.clearTimeout(timer)
}

const ignore = (): void => {}
