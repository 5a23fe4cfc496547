import type { CliIo } from '../../src/cli/io.ts'
import type { LocalServer } from '../../src/cli/models/found/local-servers.ts'
import type { Clock } from '../../src/types.ts'

export interface FakeIo extends CliIo {
  out(): string
  err(): string
  /** Presses Ctrl-C. */
  interrupt(): void
  /** Closes the reading end of stdout. */
  stopReading(): void
}

export interface FakeIoOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Width of the terminal that stdout and stderr are. @default none */
  readonly columns?: number
  /** Height of that terminal. @default 24 */
  readonly rows?: number
  /** @default none */
  readonly localServers?: readonly LocalServer[]
  /** @default real time */
  readonly clock?: Clock
  /** Hears all that is written to stderr. */
  readonly onErr?: (text: string) => void
}

const realTime: Clock = {
  now: () => performance.now(),
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
}

/** A process without a process, that records what was written and holds what is listened to. */
export function fakeIo(
  argv: readonly string[],
  { env = {}, cwd = process.cwd(), columns, rows = 24, localServers = [], clock = realTime, onErr }: FakeIoOptions = {},
): FakeIo {
  let out = ''
  let err = ''
  const interrupts = new Set<() => void>()
  const readers = new Set<() => void>()
  const listen = (listeners: Set<() => void>) => (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const terminal = { isTTY: columns !== undefined, columns, rows }
  return {
    argv,
    env,
    cwd,
    stdout: { write: (text) => void (out += text), ...terminal },
    stderr: {
      write: (text) => {
        err += text
        onErr?.(text)
      },
      ...terminal,
    },
    localServers,
    now: () => clock.now(),
    after: (milliseconds, callback) => {
      const timer = clock.setTimeout(callback, milliseconds)
      return () => clock.clearTimeout(timer)
    },
    onInterrupt: listen(interrupts),
    onReaderGone: listen(readers),
    out: () => out,
    err: () => err,
    interrupt: () => interrupts.forEach((listener) => listener()),
    stopReading: () => readers.forEach((listener) => listener()),
  }
}
