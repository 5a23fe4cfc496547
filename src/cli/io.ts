import type { Keyboard } from './keyboard.ts'
import type { LocalServer } from './models/found/local-servers.ts'

/** A stream that text is written to. */
export interface CliStream {
  write(text: string): void
  readonly isTTY: boolean
  /** Size of the terminal, as it is now. Absent where there is none. */
  readonly columns?: number | undefined
  readonly rows?: number | undefined
}

/** All that the command knows of the process it runs in. `main.ts` fills it in, a test brings its own. */
export interface CliIo {
  /** Without the program and its script. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Absolute. */
  readonly cwd: string
  readonly stdout: CliStream
  readonly stderr: CliStream
  /** Absent where stdin is no terminal. */
  readonly keyboard?: Keyboard | undefined
  /** Where on this machine servers of models are looked for. */
  readonly localServers: readonly LocalServer[]
  /** Milliseconds that only go up. */
  now(): number
  /** Calls `callback` once, when so much time has passed. @returns takes it back */
  after(milliseconds: number, callback: () => void): () => void
  /** Calls `listener` at the first Ctrl-C. @returns stops listening */
  onInterrupt(listener: () => void): () => void
  /** Calls `listener` when nobody reads stdout any more. @returns stops listening */
  onReaderGone(listener: () => void): () => void
}
