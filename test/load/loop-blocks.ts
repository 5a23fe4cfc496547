/**
 * How long the event loop was blocked at a time, pauses of the garbage collector taken out.
 */
import { PerformanceObserver, performance } from 'node:perf_hooks'

interface Tick {
  readonly from: number
  readonly to: number
  readonly cpuMs: number
}

export interface LoopBlocks {
  /** Milliseconds of the longest block; on a machine that others use too, no more than the process was given of it. */
  readonly longestMs: number
  /** Of the longest pause of the garbage collector. */
  readonly longestGcMs: number
}

/** Watches the loop while `body` runs. */
export async function loopBlocks(body: () => Promise<unknown>): Promise<LoopBlocks> {
  const pauses: { readonly from: number; readonly to: number }[] = []
  const note = (entries: readonly { readonly startTime: number; readonly duration: number }[]): void => {
    for (const { startTime, duration } of entries) pauses.push({ from: startTime, to: startTime + duration })
  }
  const observer = new PerformanceObserver((list) => note(list.getEntries()))
  observer.observe({ entryTypes: ['gc'] })

  const ticks: Tick[] = []
  let watching = true
  const watch = async (): Promise<void> => {
    let from = performance.now()
    let cpu = cpuMs()
    while (watching) {
      // A timer, not every turn: watching must not keep the loop busy.
      await new Promise<void>((resolve) => setTimeout(resolve, 1))
      const [to, cpuNow] = [performance.now(), cpuMs()]
      ticks.push({ from, to, cpuMs: cpuNow - cpu })
      from = to
      cpu = cpuNow
    }
  }
  const watched = watch()
  await new Promise<void>((resolve) => setImmediate(resolve))
  await body()
  watching = false
  await watched
  note(observer.takeRecords())
  observer.disconnect()

  let longestMs = 0
  for (const { from, to, cpuMs } of ticks) {
    const paused = pauses.reduce((sum, pause) => sum + Math.max(0, Math.min(to, pause.to) - Math.max(from, pause.from)), 0)
    longestMs = Math.max(longestMs, Math.min(to - from, cpuMs) - paused)
  }
  return { longestMs, longestGcMs: Math.max(0, ...pauses.map(({ from, to }) => to - from)) }
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
