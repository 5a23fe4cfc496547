/**
 * What the system says about processes, read here on its own: the tests ask it and not the records of what they test.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { vi } from 'vitest'

export interface Seen {
  readonly pid: number
  readonly parentPid: number
  readonly state: string
}

function see(pid: string): Seen | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const [state, parentPid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { pid: Number(pid), state: state!, parentPid: Number(parentPid) }
  } catch {
    return undefined
  }
}

const all = (): Seen[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => see(pid) ?? [])

export function isAlive(pid: number): boolean {
  const seen = see(String(pid))
  return seen !== undefined && seen.state !== 'Z'
}

/** The living processes that have `text` in their environment. */
export function processesWith(text: string): number[] {
  return all()
    .filter(({ pid, state }) => {
      if (state === 'Z' || pid === process.pid) return false
      try {
        return readFileSync(`/proc/${pid}/environ`).includes(text)
      } catch {
        return false
      }
    })
    .map(({ pid }) => pid)
}

/** Children of this process that have ended and were not asked how. */
export const zombies = (): number[] =>
  all()
    .filter(({ parentPid, state }) => parentPid === process.pid && state === 'Z')
    .map(({ pid }) => pid)

/** The pipes and sockets that this process has open. */
export function openPipes(): string[] {
  return readdirSync('/proc/self/fd')
    .flatMap((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`)
      } catch {
        return []
      }
    })
    .filter((target) => /^(pipe|socket):/.test(target))
    .toSorted()
}

/** Waits until `condition` holds; generous, since machines are busy. */
export const eventually = (condition: () => unknown, timeout = 20_000): Promise<unknown> =>
  vi.waitFor(
    () => {
      if (!condition()) throw new Error(`not so: ${condition.toString()}`)
    },
    { timeout, interval: 5 },
  )
