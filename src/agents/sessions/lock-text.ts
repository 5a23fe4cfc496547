/**
 * What a lock says: who holds it, and since when, in one short line.
 *
 *     host pid since number started boot namespace       the last five in base 36; '-' where it is not known
 *
 * The number of a worker thread's lock is followed by `:` and the thread's.
 *
 * Short for a reason: file systems keep a link whose target has less than 60 bytes in its own entry, and give a longer one a
 * block of the disk, which costs more than all else about a lock.
 */
import type { ProcessIdentity } from './process-identity.ts'

export interface Holder extends ProcessIdentity {
  /** When it was taken, in milliseconds since the epoch. */
  readonly since: number
}

/** @param number tells the locks of one process apart */
export function lockText({ host, pid, since, started, boot, namespace, thread }: Holder, number: number): string {
  const numbered = thread === undefined ? number.toString(36) : `${number.toString(36)}:${thread.toString(36)}`
  return [host, pid, since.toString(36), numbered, started ?? '-', boot ?? '-', namespace ?? '-'].join(' ')
}

/** `undefined` where the text is none of a lock. */
export function parseLockText(text: string): Holder | undefined {
  const [host = '', pid = '', since = '', number = '', started, boot, namespace, ...rest] = text.split(' ')
  const taken = Number.parseInt(since, 36)
  if (host === '' || !/^[1-9]\d{0,9}$/.test(pid) || !Number.isSafeInteger(taken) || namespace === undefined || rest.length > 0)
    return undefined
  const thread = Number.parseInt(number.split(':')[1] ?? '', 36)
  const known = (name: 'started' | 'boot' | 'namespace', value: string | undefined) => (value === '-' ? {} : { [name]: value })
  return {
    host,
    pid: Number(pid),
    since: taken,
    ...known('started', started),
    ...known('boot', boot),
    ...known('namespace', namespace),
    ...(Number.isNaN(thread) ? {} : { thread }),
  }
}
