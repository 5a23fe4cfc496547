/**
 * Which process this is, in a way that no later one repeats, and whether another one still runs.
 *
 * A process id alone does not do: it is given out again, after a restart of the machine and before; it means something else
 * in another container. On Linux a process is its id, the tick it began at, the boot of the machine and the namespace of
 * its ids. Elsewhere it is its id and host, and a process id that was given out again counts as the old one.
 */
import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import process from 'node:process'
import { threadId } from 'node:worker_threads'

export interface ProcessIdentity {
  readonly host: string
  readonly pid: number
  /** Tick since the boot at which it began, in base 36; Linux only. */
  readonly started?: string
  /** The boot of the machine: the first part of its id, in base 36; Linux only. */
  readonly boot?: string
  /** Within which its id means something, in base 36; Linux only. */
  readonly namespace?: string
  /** Which of its worker threads; absent for its main thread. */
  readonly thread?: number
}

/** A name of up to so many bytes, as most systems allow, stands for itself. */
const hostLength = 64

let own: ProcessIdentity | undefined

/** What stands for the host in a text of limited length: its name, or the start of a long one and what tells it from others. */
export function hostOf(name: string): string {
  if (Buffer.byteLength(name) <= hostLength) return name
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 32)
  return `${name.replace(/[^\w.-]/g, '').slice(0, hostLength - digest.length - 1)}~${digest}`
}

export function thisProcess(): ProcessIdentity {
  if (own) return own
  const started = statOf(process.pid)?.started
  const boot = read(() => inBase36(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8), 16))
  const namespace = read(() => inBase36(readlinkSync('/proc/self/ns/pid').replace(/\D/g, ''), 10))
  own = {
    host: hostOf(hostname()),
    pid: process.pid,
    ...(started !== undefined && { started }),
    ...(boot !== undefined && { boot }),
    ...(namespace !== undefined && { namespace }),
    ...(threadId !== 0 && { thread: threadId }),
  }
  return own
}

/**
 * `unknown` where it cannot be told from here: another host, another container; `thread` for another thread of this process,
 * of which nothing tells whether it was terminated.
 */
export type Standing = 'this' | 'alive' | 'dead' | 'unknown' | 'thread'

export function standingOf(other: ProcessIdentity, self: ProcessIdentity = thisProcess()): Standing {
  if (other.host !== self.host) return 'unknown'
  if (differ(other.boot, self.boot)) return 'dead'
  if (differ(other.namespace, self.namespace)) return 'unknown'
  if (other.pid === self.pid) return differ(other.started, self.started) ? 'dead' : other.thread === self.thread ? 'this' : 'thread'
  const stat = statOf(other.pid)
  if (stat) return stat.isOver || differ(other.started, stat.started) ? 'dead' : 'alive'
  return isRunning(other.pid) ? 'alive' : 'dead'
}

function differ(first: string | undefined, second: string | undefined): boolean {
  return first !== undefined && second !== undefined && first !== second
}

/** What Linux tells of a process; the name in it may hold spaces and brackets. */
function statOf(pid: number): { started: string; isOver: boolean } | undefined {
  const stat = read(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, started] = [fields?.[0], fields?.[19]]
  // A zombie has ended; whoever started it has only not asked how.
  return state === undefined || started === undefined
    ? undefined
    : { started: inBase36(started, 10), isOver: state === 'Z' || state === 'X' }
}

function inBase36(digits: string, radix: number): string {
  return Number.parseInt(digits, radix).toString(36)
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

function read(from: () => string): string | undefined {
  try {
    return from()
  } catch {
    return undefined
  }
}
