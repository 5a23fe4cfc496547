/** What this process holds of the system: compared before and after, it tells what was left open. */
import { readdirSync } from 'node:fs'
import { openPipes, zombies } from '../../../processes/system.ts'

export interface Handles {
  /** Pipes and sockets, as the system numbers them. */
  readonly descriptors: readonly string[]
  /** Processes, streams and timers, as Node counts them. */
  readonly resources: readonly string[]
  readonly listeners: { readonly [event: string]: number }
  readonly zombies: readonly number[]
  readonly temporaryFiles: readonly string[]
}

const seen = /Process|Pipe|Socket|TCP|Timeout|FSEvent|Immediate/

/** @param folder of temporary files */
export function handlesOf(folder: string): Handles {
  const events = ['exit', 'beforeExit', 'SIGINT', 'SIGTERM', 'SIGCHLD', 'uncaughtException', 'unhandledRejection', 'warning']
  return {
    descriptors: openPipes(),
    resources: process
      .getActiveResourcesInfo()
      .filter((name) => seen.test(name))
      .toSorted(),
    listeners: Object.fromEntries(events.map((event) => [event, process.listenerCount(event)])),
    zombies: zombies(),
    temporaryFiles: readdirSync(folder),
  }
}

/**
 * What there is now that was not there before, once there is nothing, or after a while: the event loop takes a turn to let go
 * of a handle whose descriptor is closed.
 */
export async function handlesBeyond(before: Handles, folder: string): Promise<Handles> {
  const until = performance.now() + 5000
  for (;;) {
    const now = beyond(before, handlesOf(folder))
    const isNone = Object.values(now).every((each) => Object.keys(each as object).length === 0)
    if (isNone || performance.now() > until) return now
    await new Promise<void>((resolve) => void setTimeout(resolve, 20))
  }
}

export const noHandles: Handles = { descriptors: [], resources: [], listeners: {}, zombies: [], temporaryFiles: [] }

function beyond(before: Handles, now: Handles): Handles {
  return {
    descriptors: more(before.descriptors, now.descriptors),
    resources: more(before.resources, now.resources),
    listeners: Object.fromEntries(Object.entries(now.listeners).filter(([event, count]) => count > before.listeners[event]!)),
    zombies: more(before.zombies, now.zombies),
    temporaryFiles: more(before.temporaryFiles, now.temporaryFiles),
  }
}

/** Those of `now` that are more often there than before. */
function more<T>(before: readonly T[], now: readonly T[]): T[] {
  const rest = [...before]
  return now.filter((each) => {
    const at = rest.indexOf(each)
    if (at >= 0) rest.splice(at, 1)
    return at < 0
  })
}
