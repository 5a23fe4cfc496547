/** What reaches the process while `body` runs and for some turns of the loop after it: warnings, unhandled and uncaught faults (S17). */
export async function processFaults(body: () => unknown): Promise<string[]> {
  const faults: string[] = []
  const note = (kind: string) => (fault: unknown) => void faults.push(`${kind}: ${fault instanceof Error ? fault.message : typeof fault}`)
  const handlers = {
    warning: note('warning'),
    unhandledRejection: note('unhandledRejection'),
    uncaughtException: note('uncaughtException'),
  }
  // The test runner's own handlers would turn the fault into a failure of the whole file.
  const others = Object.keys(handlers).map((name) => [name, process.listeners(name as 'warning')] as const)
  for (const [name] of others) process.removeAllListeners(name)
  for (const [name, handler] of Object.entries(handlers)) process.on(name, handler)
  try {
    await body()
    for (let turn = 0; turn < 5; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
    await new Promise<void>((resolve) => setTimeout(resolve, 0))
  } finally {
    for (const [name, handler] of Object.entries(handlers)) process.off(name, handler)
    for (const [name, listeners] of others) for (const listener of listeners) process.on(name, listener as () => void)
  }
  return faults
}
