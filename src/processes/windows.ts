/**
 * A family on Windows, by `taskkill`. Written from its documentation and held against sample output written after it: it was not
 * run on Windows (A26).
 *
 * There is no signal that asks a console program to end, so that the end of stdin is the only request; and descendants are
 * found by their parents, so that those of a process that has ended are not found.
 */
import { execFile, spawnSync } from 'node:child_process'
import type { FamilyRoot, ProcessFamily } from './process-family.ts'

export const taskkillArguments = (pid: number): readonly string[] => ['/PID', String(pid), '/T', '/F']
const options = { encoding: 'utf8', timeout: 5000, windowsHide: true } as const

/**
 * The processes besides `pid` that `taskkill` says it has ended: a line of success each, with its id and then its parent's.
 * The words are in the system's language, the ids are not.
 */
export function parseTaskkill(output: string, pid: number): number[] {
  return output.split(/\r?\n/).flatMap((line) => {
    const [ended, parent] = (line.match(/\d+/g) ?? []).map(Number)
    return ended === undefined || parent === undefined || ended === pid ? [] : [ended]
  })
}

export class WindowsFamily implements ProcessFamily {
  readonly #root: FamilyRoot
  readonly #ended = new Set<number>()

  constructor(root: FamilyRoot) {
    this.#root = root
  }

  get signalled(): number {
    return this.#ended.size
  }

  look(): Promise<readonly []> {
    return Promise.resolve([])
  }

  terminate(): boolean {
    return false
  }

  kill(): Promise<void> {
    const { pid } = this.#root
    if (!this.#root.isRunning()) return Promise.resolve()
    return new Promise((resolve) => {
      execFile('taskkill', taskkillArguments(pid), options, (_error, stdout) => {
        this.#note(stdout)
        resolve()
      })
    })
  }

  killNow(): void {
    const { pid } = this.#root
    if (this.#root.isRunning()) this.#note(spawnSync('taskkill', taskkillArguments(pid), options).stdout ?? '')
  }

  #note(output: string): void {
    for (const pid of parseTaskkill(output, this.#root.pid)) this.#ended.add(pid)
  }
}
