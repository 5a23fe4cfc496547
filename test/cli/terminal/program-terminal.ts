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

/** How the command begins each drawing, and goes on where it draws all lines again (screen.ts). */
const startOfDrawing = '\u001b[?25l'
const wholeDrawing = '\r\u001b[J'

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
  const watchers = new Set<() => void>()
  const wake = () => watchers.forEach((watcher) => watcher())
  let device = ''
  let text = ''
  let heldBack = ''
  let resizing: (() => void) | undefined
  let over = false
  let failure: Error | undefined

  /** A terminal has its new size at once, the program hears of it a moment later: here both happen with its next whole drawing. */
  const show = (arrived: string) => {
    heldBack += arrived
    if (resizing) {
      const cut = heldBack.lastIndexOf(startOfDrawing, heldBack.indexOf(wholeDrawing))
      if (cut === -1 && !over) return
      terminal.write(heldBack.slice(0, Math.max(0, cut)))
      heldBack = heldBack.slice(Math.max(0, cut))
      resizing()
      resizing = undefined
    }
    terminal.write(heldBack)
    heldBack = ''
  }
  child.stdout.setEncoding('utf8').on('data', (arrived: string) => {
    // The first line is the name of the terminal, from tty.
    const end = device.endsWith('\n') ? 0 : arrived.indexOf('\n') + 1 || arrived.length
    device += arrived.slice(0, end)
    text += arrived.slice(end)
    show(arrived.slice(end))
    wake()
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', (cause) => {
      failure = new Error('Tests on a terminal need the program script of util-linux (Debian: bsdutils).', { cause })
      reject(failure)
      wake()
    })
    child.on('close', (code) => {
      over = true
      show('')
      resolve(code)
      wake()
    })
  })
  // Whoever waits for something else hears of it there.
  ended.catch(() => {})
  onTestFinished(() => void child.kill('SIGKILL'))
  return {
    terminal,
    text: () => text,
    shows: (condition) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = condition(terminal.lines())
          if (!found && !over && !failure) return
          watchers.delete(look)
          if (found) resolve()
          else reject(failure ?? new Error(`The program ended without showing that:\n${terminal.lines().join('\n')}`))
        }
        watchers.add(look)
        look()
      }),
    type: (keys) => void child.stdin.write(keys),
    resize(newColumns, newRows) {
      resizing = () => terminal.resize(newColumns, newRows)
      const size = ['cols', String(newColumns), 'rows', String(newRows)]
      const { status, stderr } = spawnSync('stty', ['-F', device.trim(), ...size], { encoding: 'utf8' })
      if (status !== 0) throw new Error(`stty: ${stderr}`)
    },
    ended,
  }
}
