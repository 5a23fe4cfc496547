/** A stream that text is written to. */
export interface CliStream {
  write(text: string): void
  readonly isTTY: boolean
  /** Width of the terminal. Absent where there is none. */
  readonly columns?: number | undefined
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
  /** Milliseconds that only go up. */
  now(): number
  /** Calls `listener` at the first Ctrl-C. @returns stops listening */
  onInterrupt(listener: () => void): () => void
  /** Calls `listener` when nobody reads stdout any more. @returns stops listening */
  onReaderGone(listener: () => void): () => void
}
