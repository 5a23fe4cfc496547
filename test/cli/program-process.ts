import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
export const program = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

/** Compiles what the tests start; does nothing where it is up to date, as it is under `npm test`. */
export function buildProgram(): void {
  const { status } = spawnSync(process.execPath, ['scripts/build.js'], { cwd: root, stdio: 'inherit' })
  if (status !== 0) throw new Error('src/ does not compile.')
}

export interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly out: string
  readonly err: string
}

export interface RunningProgram {
  readonly pid: number
  readonly ended: Promise<Ended>
  /** Resolves when stdout and stderr together have `text` in them; rejects when the program ends without. */
  shows(text: string): Promise<void>
  signal(name: 'SIGINT' | 'SIGTERM'): void
  hasEnded(): boolean
  /** What it has written so far, stdout first. */
  text(): string
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Module that is loaded before the program. */
  readonly preload?: string
}

/** Starts the real program, in an environment without keys; killed when the test has finished, if it still runs then. */
export function startProgram(argv: readonly string[], { env = {}, cwd = root, preload }: StartOptions = {}): RunningProgram {
  const child = spawn(process.execPath, [...(preload === undefined ? [] : ['--import', preload]), program, ...argv], {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let err = ''
  let over: Ended | undefined
  const watchers = new Set<() => void>()
  const wake = () => watchers.forEach((watcher) => watcher())
  child.stdout.setEncoding('utf8').on('data', (text: string) => ((out += text), wake()))
  child.stderr.setEncoding('utf8').on('data', (text: string) => ((err += text), wake()))
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      resolve((over = { code, signal, out, err }))
      wake()
    })
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return {
    pid: child.pid!,
    ended,
    shows: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = out.includes(text) || err.includes(text)
          if (!found && !over) return
          watchers.delete(look)
          if (found) resolve()
          else reject(new Error(`The program ended without showing ${JSON.stringify(text)}:\n${out}\n${err}`))
        }
        watchers.add(look)
        look()
      }),
    signal: (name) => void child.kill(name),
    hasEnded: () => over !== undefined,
    text: () => out + err,
  }
}
