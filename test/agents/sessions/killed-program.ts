/** The fixture program that is killed, and what it acknowledged before. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))

export interface KilledProgram {
  readonly pid: number
  /** Whole lines so far; all that it wrote, once `ended` has resolved. */
  lines(): readonly string[]
  /** Resolves when a line begins with `start`. */
  says(start: string): Promise<void>
  /** Resolves when it has acknowledged so much. */
  acknowledges(count: number): Promise<void>
  go(): void
  kill(): void
  /** Resolves when it was killed; rejects when it ended in any other way. */
  readonly ended: Promise<void>
}

export function startKilledProgram(directory: string, sessionId: string, what: string, seed = 1): KilledProgram {
  const child = spawn(process.execPath, ['test/fixtures/session-agent.js', directory, sessionId, what, String(seed)], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let out = ''
  let err = ''
  const watchers = new Set<() => void>()
  const ended = new Promise<void>((resolve, reject) => {
    child.on('close', (code, signal) => {
      if (signal === 'SIGKILL') resolve()
      else reject(new Error(`It ended with ${code ?? signal}:\n${err}`))
    })
  })
  ended.catch(() => {})
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
    for (const watcher of watchers) watcher()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  child.stdin.on('error', () => {})
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = () => out.split('\n').slice(0, -1)
  const shows = (isThere: () => boolean) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (!isThere()) return
        watchers.delete(look)
        resolve()
      }
      watchers.add(look)
      ended.catch(reject)
      look()
    })
  return {
    pid: child.pid!,
    lines,
    says: (start) => shows(() => lines().some((line) => line.startsWith(start))),
    acknowledges: (count) => shows(() => lines().filter((line) => /^(?:turn|result) /.test(line)).length >= count),
    go: () => void child.stdin.write('go\n'),
    kill: () => void child.kill('SIGKILL'),
    ended,
  }
}
