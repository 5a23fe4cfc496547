import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import { systemClock } from '../../src/run/defaults.ts'
import { childEnvironment } from '../../src/processes/environment.ts'
import { launchProcess } from '../../src/processes/launch.ts'
import type { LaunchedProcess, LaunchOptions } from '../../src/processes/launched-process.ts'
import type { Clock, Logger } from '../../src/types.ts'
import { eventually, isAlive, openPipes, processesWith, zombies } from './system.ts'

export const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/processes/${name}.js`, import.meta.url))

export interface Launched extends LaunchedProcess {
  /** What came on stdout. */
  output(): string
  /** The numbers of its `ready` line: its own process id, and that of what it started. */
  ready(): Promise<number[]>
}

export interface Bench {
  readonly clock: Clock
  readonly warnings: string[]
  readonly tag: string
  /** Starts a fixture with words for it to read, or a program. */
  launch(
    program: string | { command: string; args?: readonly string[] },
    words?: readonly string[],
    options?: Partial<LaunchOptions>,
  ): Launched
  /** Nothing is left of what was launched: as the system sees it, and this process's own handles. */
  expectNothingLeft(...pids: (number | undefined)[]): Promise<void>
}

let made = 0

/** To be made first in a test: what is there then is what may be there after. */
export function createBench(): Bench {
  const tag = `XSTATE_SUBAGENTS_TEST=${process.pid}-${made++}-end`
  const timers = new Set<unknown>()
  const clock: Clock = {
    now: systemClock.now,
    setTimeout: (callback, ms) => {
      const timer = systemClock.setTimeout(() => {
        timers.delete(timer)
        callback()
      }, ms)
      timers.add(timer)
      return timer
    },
    clearTimeout: (timer) => {
      timers.delete(timer)
      systemClock.clearTimeout(timer)
    },
  }
  const warnings: string[] = []
  const logger: Logger = {
    debug: () => {},
    warn: (message) => void warnings.push(message),
    error: (message) => void warnings.push(message),
  }
  const pipes = openPipes()
  const resources = handles()
  const exitListeners = process.listenerCount('exit')
  onTestFinished(() => {
    for (const pid of processesWith(tag)) process.kill(pid, 'SIGKILL')
  })

  return {
    clock,
    warnings,
    tag,
    launch: (program, words = [], options = {}) => {
      const { command, args = [] } =
        typeof program === 'string' ? { command: process.execPath, args: [fixture(program), ...words] } : program
      const [name, value] = tag.split('=') as [string, string]
      const launched = launchProcess({
        command,
        args,
        cwd: process.cwd(),
        env: childEnvironment({ [name]: value }),
        clock,
        logger,
        ...options,
      })
      let output = ''
      launched.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
      const line = (): string | undefined => /^ready (.*)\n/m.exec(output)?.[1]
      return Object.assign(Object.create(launched, Object.getOwnPropertyDescriptors(launched)) as LaunchedProcess, {
        output: () => output,
        ready: async () => {
          await eventually(line)
          return line()!.split(' ').map(Number)
        },
      })
    },
    expectNothingLeft: async (...pids) => {
      expect({ byTag: processesWith(tag), byPid: pids.filter((pid) => pid !== undefined && isAlive(pid)), zombies: zombies() }).toEqual({
        byTag: [],
        byPid: [],
        zombies: [],
      })
      expect(timers.size).toBe(0)
      expect(process.listenerCount('exit')).toBe(exitListeners)
      expect(openPipes()).toEqual(pipes)
      // The loop takes a turn to let go of a handle whose descriptor is closed.
      await eventually(() => handles() === resources)
    },
  }
}

/** The processes and pipes that keep the event loop, as Node counts them. */
const handles = (): string =>
  process
    .getActiveResourcesInfo()
    .filter((name) => /Process|Pipe|Socket/.test(name))
    .toSorted()
    .join(' ')
