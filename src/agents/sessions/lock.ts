/**
 * A lock between processes: a file that says who holds it (G8).
 *
 * It is a symbolic link whose target is the text, as that of editors and browsers is: made by one call, whole or not at
 * all, so that nobody ever sees half of one. Where links may not be made (Windows), it is a file with that text. A lock
 * whose process has ended is taken over; one of another host, container or thread is not, since nobody here can tell, unless
 * a person says so.
 *
 * Why no library: those in wide use judge a lock by the age of its file, which wants a timer for as long as an agent lives
 * and calls a process that was suspended dead; and two processes that find the same old lock can both take it
 * (moxystudio/node-proper-lockfile#121). Here a takeover is itself under a lock, whose name follows from the dead one's
 * text: only who holds that removes the dead lock, and a text that is gone never comes back.
 */
import { createHash } from 'node:crypto'
import { closeSync, openSync, readFileSync, readlinkSync, symlinkSync, unlinkSync, writeSync } from 'node:fs'
import process from 'node:process'
import { SubagentError } from '../../errors.ts'
import { lockText, parseLockText } from './lock-text.ts'
import type { Holder } from './lock-text.ts'
import { standingOf, thisProcess } from './process-identity.ts'

export interface Lock {
  /** Frees it; a second call does nothing. Never throws. */
  release(): void
}

/** Freed when the process ends by itself; those of a killed one are found dead by the next. */
const held = new Set<Lock>()
let listens = false
let made = 0

/**
 * @param what names it in an error, as in "Session x"
 * @param now milliseconds since the epoch
 * @throws SubagentError INVALID_REQUEST where somebody holds it; what the file system throws where it cannot be made
 */
export function acquireLock(path: string, what: string, now: number): Lock {
  const text = lockText({ ...thisProcess(), since: now }, made++)
  take(path, text, what, now)
  const lock: Lock = {
    release() {
      if (!held.delete(lock)) return
      // It may be another's by now, if a person removed it.
      if (readText(path) === text) remove(path)
    },
  }
  freeAtExit(lock)
  return lock
}

/** Has `lock` released when the process ends by itself. */
export function freeAtExit(lock: Lock): void {
  held.add(lock)
  if (!listens) process.on('exit', releaseAll)
  listens = true
}

function releaseAll(): void {
  for (const lock of held) lock.release()
}

function take(path: string, text: string, what: string, now: number): void {
  // It ends much sooner: each round that does not take it finds that somebody else has moved on.
  for (let round = 0; round < 1000; round++) {
    if (create(path, text)) return
    const found = readText(path)
    if (found === undefined) continue
    const holder = parseLockText(found)
    if (!holder || standingOf(holder) !== 'dead') throw taken(path, what, holder)
    takeAway(path, found, what, now)
  }
  throw new SubagentError('INVALID_REQUEST', `${what} could not be locked: ${path} comes and goes. Try again.`)
}

function takeAway(path: string, found: string, what: string, now: number): void {
  const takeover = acquireLock(`${path}.${digest(found)}`, what, now)
  try {
    if (readText(path) === found) remove(path)
  } finally {
    takeover.release()
  }
}

/**
 * Takes away a lock of which it cannot be told from here whether its holder is alive: whoever asks for that knows.
 *
 * @returns whether there was one
 * @throws SubagentError INVALID_REQUEST where its holder is alive
 */
export function breakLock(path: string, what: string, now: number): boolean {
  const found = readText(path)
  if (found === undefined) return false
  const holder = parseLockText(found)
  const standing = holder && standingOf(holder)
  if (standing === 'this' || standing === 'alive') throw taken(path, what, holder)
  takeAway(path, found, what, now)
  return true
}

/** @returns whether it was made; false where there is one */
function create(path: string, text: string): boolean {
  try {
    symlinkSync(text, path)
    return true
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw thrown
  }
  // A process that is killed in between leaves an empty lock, which a person has to remove.
  let file: number
  try {
    file = openSync(path, 'wx', 0o600)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw thrown
  }
  try {
    writeSync(file, text)
  } finally {
    closeSync(file)
  }
  return true
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}

function remove(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // Gone already, or with its directory.
  }
}

function readText(path: string): string | undefined {
  for (const read of [readlinkSync, readFileSync] as ((path: string, encoding: 'utf8') => string)[])
    try {
      return read(path, 'utf8')
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException
      if (code === 'ENOENT') return undefined
      // What a file gives, which is no link.
      if (code !== 'EINVAL' && code !== 'UNKNOWN') throw thrown
    }
  return undefined
}

/** @param path what a person may delete */
export function taken(path: string, what: string, holder: Holder | undefined): SubagentError {
  const unlock = `If nothing uses it any more, free it by agents.unlock(), or delete ${path}.`
  if (!holder) return new SubagentError('INVALID_REQUEST', `${what} is locked by a file that does not say by whom. ${unlock}`)
  const { host, pid, since, thread } = holder
  const untold = `Whether it still runs cannot be told from here. ${unlock}`
  const words = {
    this: [`this process (${pid})`, 'Dispose the agent that has it first.'],
    alive: [`process ${pid}`, 'Wait until it has ended, or dispose its agent there.'],
    unknown: [`process ${pid} of host ${host}, or of another container`, untold],
    thread: [`${thread === undefined ? 'the main thread' : `worker thread ${thread}`} of this process (${pid})`, untold],
    dead: [`process ${pid}`, unlock],
  }[standingOf(holder)]
  return new SubagentError('INVALID_REQUEST', `${what} is in use by ${words[0]} since ${sinceText(since)}. ${words[1]}`)
}

function sinceText(since: number): string {
  const date = new Date(since)
  return Number.isNaN(date.getTime()) ? 'a time that is none' : date.toISOString()
}
