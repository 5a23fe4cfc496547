import type { CliIo } from '../../src/cli/io.ts'

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
  /** Hears all that is written to stderr. */
  readonly onErr?: (text: string) => void
}

/** A process without a process, that records what was written and holds what is listened to. */
export function fakeIo(argv: readonly string[], { env = {}, cwd = process.cwd(), columns, onErr }: FakeIoOptions = {}): FakeIo {
  let out = ''
  let err = ''
  const interrupts = new Set<() => void>()
  const readers = new Set<() => void>()
  const listen = (listeners: Set<() => void>) => (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const terminal = { isTTY: columns !== undefined, columns }
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
    now: () => performance.now(),
    onInterrupt: listen(interrupts),
    onReaderGone: listen(readers),
    out: () => out,
    err: () => err,
    interrupt: () => interrupts.forEach((listener) => listener()),
    stopReading: () => readers.forEach((listener) => listener()),
  }
}
