/**
 * What would end the process: rejections that nobody handles, and errors thrown out of callbacks. While a case runs they
 * are the case's own; the handlers of the test runner, which would fail the whole file, are set aside.
 */
interface FaultEvents {
  listeners(name: string): Function[]
  removeAllListeners(name: string): unknown
  on(name: string, listener: (fault: unknown) => void): unknown
  off(name: string, listener: (fault: unknown) => void): unknown
}

const names = ['unhandledRejection', 'uncaughtException'] as const
/** Where there is no process to ask, as in a browser, nothing is noted. */
const host = (): FaultEvents | undefined => (typeof process === 'undefined' ? undefined : (process as unknown as FaultEvents))

const watchers = new Set<(fault: unknown) => void>()
let setAside: readonly (readonly [name: string, listeners: readonly Function[]])[] = []
const note = (fault: unknown): void => {
  for (const watcher of watchers) watcher(fault)
}

/**
 * @returns what has come so far, and the end of watching. Whoever watches at the same time hears of the same faults: they
 * cannot be told apart.
 */
export function watchProcess(): { readonly faults: readonly unknown[]; stop(): void } {
  const faults: unknown[] = []
  // A rejection that is raised as an exception comes under both names.
  const watcher = (fault: unknown): void => void (faults.includes(fault) || faults.push(fault))
  const events = host()
  if (events && watchers.size === 0) {
    setAside = names.map((name) => [name, events.listeners(name)])
    for (const name of names) {
      events.removeAllListeners(name)
      events.on(name, note)
    }
  }
  watchers.add(watcher)
  return {
    faults,
    stop: () => {
      if (!watchers.delete(watcher) || watchers.size > 0 || !events) return
      for (const [name, listeners] of setAside) {
        events.off(name, note)
        for (const listener of listeners) events.on(name, listener as (fault: unknown) => void)
      }
    },
  }
}
