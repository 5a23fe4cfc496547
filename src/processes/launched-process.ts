/**
 * What a launched process is to whoever launched it. Contract: A12, A19, A20, A22, A23.
 */
import type { Readable } from 'node:stream'
import type { Clock, Logger } from '../types.ts'

/** How much of the end of stderr is kept. */
export const stderrTailBytes = 65_536

export interface LaunchOptions {
  /** Path or name of the program; it is not given to a shell. */
  readonly command: string
  readonly args?: readonly string[]
  /** Absolute path of a directory. */
  readonly cwd: string
  /** The whole environment, as `childEnvironment` makes it; the host's own is not added. */
  readonly env: NodeJS.ProcessEnv
  readonly clock: Clock
  readonly logger: Logger
  /** How long `close` waits after the end of stdin before it sends SIGTERM. @default 1000 */
  readonly eofGraceMs?: number
  /** How long `close` waits after SIGTERM before it sends SIGKILL. @default 2000 */
  readonly termGraceMs?: number
  /** How long a write may go without any progress. @default 30000 */
  readonly writeTimeoutMs?: number
  /**
   * Contract: called with each chunk of stderr as it comes, after the tail has it; may throw, which is logged. Not called
   * after `close()` has resolved.
   */
  onStderr?(chunk: Buffer): void
}

/** How a process ended. */
export interface ExitFacts {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** It could not be started: why, in words that name command or directory; the system's error as `cause`. */
  readonly error?: Error
}

/** What it took until a process was gone; `itself` for one that ended before it was closed, or never started. */
export type CloseStep = 'itself' | 'eof' | 'term' | 'kill'

export interface CloseReport {
  readonly exit: ExitFacts
  readonly by: CloseStep
  /** How many other processes of it were sent a signal. */
  readonly others: number
  /** Process ids that were still alive when the last wait was over; a warning was logged. Empty but for faults. */
  readonly left: readonly number[]
}

/**
 * A child process with everything that it starts.
 *
 * Contract: whoever launches it calls `close`, whatever happened before. It keeps the host's event loop alive until it is
 * gone, unless `unref` was called. When it ends by itself, what it left behind is taken down at once, as `close` would.
 */
export interface LaunchedProcess {
  /** Undefined where it could not be started. */
  readonly pid: number | undefined
  /**
   * Read it without pause: what is still unread shortly after the exit is lost, with a warning. It ends with `end`, or with
   * `close` alone where something else held it open.
   */
  readonly stdout: Readable
  /**
   * Resolves when it has ended and its output is read, or 100 ms after the end where something else holds the output
   * open; or when it could not be started. Never rejects.
   */
  readonly exited: Promise<ExitFacts>
  /** The last 64 KiB of stderr, whole code points. */
  readonly stderrTail: string
  /**
   * Resolves when the system has taken the bytes. Rejects with a `ProcessInputError` when the process takes no more: it
   * closed its end, it ended, or it read nothing for `writeTimeoutMs`; from then on every write rejects with that error. A
   * rejection that nobody awaits is not an unhandled one.
   */
  write(bytes: Uint8Array | string): Promise<void>
  /** The process reads end-of-file after what was written. Idempotent. */
  endInput(): void
  /**
   * Takes it down: end of stdin, SIGTERM, SIGKILL, each with its grace, to its process group and to every descendant, also
   * those that left the group; then a sweep for what was detached. Resolves when nothing of it is left: no process, no
   * open descriptor, no timer, no listener. Bounded, memoised; never rejects.
   */
  close(): Promise<CloseReport>
  /** Kills it with everything that it started, before it returns; for the end of the host. `close` is still due. */
  killNow(): void
  /** Lets the host's event loop end while it runs; it is then killed at the exit of the host. `close` undoes that. */
  unref(): void
  /** Undoes `unref`. */
  ref(): void
}
