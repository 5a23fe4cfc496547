import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { shellQuote } from '../../../src/cli/shell-quote.ts'
import { program } from '../program-process.ts'
import { createVirtualTerminal, type VirtualTerminal } from './virtual-terminal.ts'

export interface TerminalOptions {
  readonly columns: number
  readonly rows: number
  readonly env?: Readonly<Record<string, string>>
}

export interface ProgramTerminal {
  readonly terminal: VirtualTerminal
  /** All that was written. */
  text(): string
  /** Resolves when the screen satisfies it; rejects when the program ends without. */
  shows(condition: (lines: readonly string[]) => boolean): Promise<void>
  /** Presses keys. */
  type(keys: string): void
  resize(columns: number, rows: number): void
  readonly ended: Promise<number | null>
}

/**
 * Starts the real program on a pseudo-terminal, which `script` of util-linux makes: Debian has it always (bsdutils is
 * essential there). Killed when the test has finished, if it still runs then.
 */
export function startOnTerminal(argv: readonly string[], { columns, rows, env = {} }: TerminalOptions): ProgramTerminal {
  const command = [process.execPath, program, ...argv].map(shellQuote).join(' ')
  const setUp = `tty; stty cols ${columns} rows ${rows}`
  const child = spawn('script', ['--quiet', '--flush', '--return', '--command', `${setUp}; exec ${command}`, '/dev/null'], {
    cwd: fileURLToPath(new URL('../../..', import.meta.url)),
    env: { PATH: process.env['PATH'], SHELL: '/bin/sh', TERM: 'xterm-256color', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const terminal = createVirtualTerminal(columns, rows)
  let device = ''
  let text = ''
  let over = false
  const watchers = new Set<() => void>()
  child.stdout.setEncoding('utf8').on('data', (arrived: string) => {
    let part = arrived
    // The first line is the name of the terminal, from tty.
    if (!device.includes('\n')) {
      const end = part.indexOf('\n') + 1
      device += end === 0 ? part : part.slice(0, end)
      part = end === 0 ? '' : part.slice(end)
    }
    text += part
    terminal.write(part)
    watchers.forEach((watcher) => watcher())
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', (cause) =>
      reject(new Error('Tests on a terminal need the program script of util-linux (Debian: bsdutils).', { cause })),
    )
    child.on('close', (code) => {
      over = true
      resolve(code)
      watchers.forEach((watcher) => watcher())
    })
  })
  // Whoever waits for something else hears of it there.
  ended.catch(() => {})
  onTestFinished(() => void child.kill('SIGKILL'))
  return {
    terminal,
    text: () => text,
    shows: (condition) =>
      Promise.race([
        ended
          .then(
            () => {},
            (error) => Promise.reject(error as Error),
          )
          .then(
            () =>
              new Promise<void>((_, reject) =>
                setImmediate(() => reject(new Error(`The program ended without showing that:\n${terminal.lines().join('\n')}`))),
              ),
          ),
        new Promise<void>((resolve) => {
          const look = () => {
            if (!condition(terminal.lines())) return
            watchers.delete(look)
            resolve()
          }
          watchers.add(look)
          look()
        }),
      ]),
    type: (keys) => void child.stdin.write(keys),
    resize(newColumns, newRows) {
      if (over) return
      terminal.resize(newColumns, newRows)
      const { status, stderr } = spawnSync('stty', ['-F', device.trim(), 'cols', String(newColumns), 'rows', String(newRows)], {
        encoding: 'utf8',
      })
      if (status !== 0) throw new Error(`stty: ${stderr}`)
    },
    ended,
  }
}
