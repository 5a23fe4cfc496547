/** One command of a hook as a process: its input, its bounds, its end with everything that it started (H4, H7). */
import type { Readable } from 'node:stream'
import type { ExitFacts } from '../processes/launched-process.ts'
import { launchProcess } from '../processes/launch.ts'
import { isWindows } from '../processes/platform.ts'
import { deferred } from '../run/deferred.ts'
import type { Clock, Logger } from '../types.ts'

/** What is kept of stdout. An answer has a few thousand bytes. */
const mostOutputBytes = 256 * 1024
/** From SIGTERM to SIGKILL. */
const termGraceMs = 1000
/** Claude Code has its hooks run by the bash of Git on Windows. */
const shell = isWindows ? 'bash' : '/bin/sh'

export interface CommandOptions {
  /** A line for the shell. */
  readonly command: string
  readonly timeoutMs: number
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** For stdin. */
  readonly input: string
  readonly clock: Clock
  readonly logger: Logger
  /** What ends the commands that run: whoever calls all of them stops this one too, as long as it runs. */
  readonly stops: Set<() => void>
}

export interface CommandEnd {
  readonly by: 'itself' | 'timeout' | 'stopped'
  readonly exit: ExitFacts
  readonly stdout: string
  /** There was more on stdout than is kept. */
  readonly isCut: boolean
  /** The last 64 KiB. */
  readonly stderr: string
}

/** Resolves when nothing of it is left, what it left behind included. Never rejects. */
export async function runCommand(options: CommandOptions): Promise<CommandEnd> {
  const { command, timeoutMs, cwd, env, input, clock, logger, stops } = options
  // Its stdin ends at once: there is no grace to be had from that.
  const launched = launchProcess({ command: shell, args: ['-c', command], cwd, env, clock, logger, eofGraceMs: 0, termGraceMs })
  const output = collect(launched.stdout)
  // One that does not read is no failure.
  launched.write(input).catch(() => {})
  launched.endInput()
  const ended = deferred<CommandEnd['by']>()
  const stop = (): void => ended.resolve('stopped')
  stops.add(stop)
  const timer = clock.setTimeout(() => ended.resolve('timeout'), timeoutMs)
  void launched.exited.then(() => ended.resolve('itself'))
  const by = await ended.promise
  clock.clearTimeout(timer)
  const { exit } = await launched.close()
  stops.delete(stop)
  return { by, exit, ...output(), stderr: launched.stderrTail }
}

function collect(stdout: Readable): () => { stdout: string; isCut: boolean } {
  const chunks: Buffer[] = []
  let length = 0
  let isCut = false
  // Read to its end, whatever is kept: a full pipe would hold the command.
  stdout.on('data', (chunk: Buffer) => {
    const kept = chunk.subarray(0, mostOutputBytes - length)
    if (kept.length < chunk.length) isCut = true
    if (kept.length === 0) return
    length += kept.length
    chunks.push(kept)
  })
  return () => ({ stdout: Buffer.concat(chunks).toString('utf8'), isCut })
}
