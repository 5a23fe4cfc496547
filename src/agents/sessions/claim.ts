/**
 * What a process has of a directory of sessions, in one file for all whose ids it makes itself (G8).
 *
 * Nobody else can have begun a session of such an id, and the id says which process did: so one file says who holds them all,
 * where a lock each would cost a link made, read and taken away in a directory, which is more than all lines of a short
 * session. It begins with the text of a lock; then there is a byte for each session, which is a dot once that one was let go.
 * Who wants one of them takes its lock, as for any session, and looks here as well; who has let one go and wants it again
 * does the same.
 *
 * Invariants: the file is there before the first of its sessions is, and goes when its process ends by itself; that of a
 * killed one is taken away by the first that finds it dead.
 */
import { closeSync, constants, existsSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { uniqueId } from '../../run/defaults.ts'
import { lockText, parseLockText } from './lock-text.ts'
import type { Holder } from './lock-text.ts'
import { freeAtExit } from './lock.ts'
import type { Lock } from './lock.ts'
import { standingOf, thisProcess } from './process-identity.ts'

/** The text is padded to so much: a host's name has 64 bytes at most, in UTF-8. */
const textLength = 256
const released = Buffer.from('.')
const idOf = (head: string, number: number): string => `${head}-${number.toString(36)}`
const form = /^(session-[0-9a-f]{12}-[0-9a-z]+)-([0-9a-z]{1,8})$/
const fileNameOf = (head: string): string => `.${head}.claim`

/** Those of as many directories stay open; beyond that one is opened to let a session go. */
const mostOpen = 16
const own = new Map<string, OwnClaim>()
/** Which have their file open, the one that was opened last at the end. */
const opened = new Set<OwnClaim>()

interface OwnClaim {
  readonly head: string
  readonly path: string
  readonly held: Set<number>
  next: number
  file: number | undefined
}

/**
 * A new id, and the session of that id for this process.
 *
 * @param root absolute path of a directory that is there
 * @param now milliseconds since the epoch
 * @throws what the file system throws
 */
export function claimSession(root: string, now: number): { readonly sessionId: string; readonly lock: Lock } {
  let claim = own.get(root)
  // Somebody may have cleaned up, or moved the directory away: what is begun in the one that takes its place needs a claim there.
  if (claim && !existsSync(claim.path)) {
    own.delete(root)
    close(claim)
    claim = undefined
  }
  if (!claim) own.set(root, (claim = makeClaim(root, now)))
  const { held, head } = claim
  const number = claim.next++
  held.add(number)
  return { sessionId: idOf(head, number), lock: { release: () => void (held.delete(number) && letGo(claim, number)) } }
}

/** Whether this process has it by its claim. */
export function isClaimedHere(root: string, sessionId: string): boolean {
  const [, head, digits] = form.exec(sessionId) ?? []
  const claim = own.get(root)
  return head !== undefined && claim?.head === head && claim.held.has(Number.parseInt(digits!, 36))
}

export interface Claimant {
  readonly path: string
  /** Undefined where the file does not say. */
  readonly holder: Holder | undefined
  /** Takes the session from it. @throws what the file system throws */
  free(): void
}

/** Who has a session by its claim, alive or not to be told from here. @throws what the file system throws */
export function claimantOf(root: string, sessionId: string): Claimant | undefined {
  const [, head, digits] = form.exec(sessionId) ?? []
  if (head === undefined) return undefined
  const path = join(root, fileNameOf(head))
  const number = Number.parseInt(digits!, 36)
  const here = own.get(root)?.head === head
  if (here && !isClaimedHere(root, sessionId)) return undefined
  const text = Buffer.alloc(textLength)
  const state = Buffer.alloc(1)
  let file: number
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw thrown
  }
  try {
    readSync(file, text, 0, textLength, 0)
    readSync(file, state, 0, 1, textLength + number)
  } finally {
    closeSync(file)
  }
  const holder = parseLockText(text.toString('utf8').trimEnd())
  if (holder && standingOf(holder) === 'dead') {
    remove(path)
    return undefined
  }
  if (state.equals(released)) return undefined
  return { path, holder, free: () => markReleased(path, number) }
}

function makeClaim(root: string, now: number): OwnClaim {
  const head = `session${uniqueId().slice('run'.length)}`
  const path = join(root, fileNameOf(head))
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600)
  writeSync(file, `${lockText({ ...thisProcess(), since: now }, 0).padEnd(textLength - 1)}\n`)
  const claim: OwnClaim = { head, path, held: new Set(), next: 0, file }
  freeAtExit({ release: () => remove(path) })
  opened.add(claim)
  if (opened.size > mostOpen) close([...opened][0]!)
  return claim
}

function close(claim: OwnClaim): void {
  opened.delete(claim)
  if (claim.file !== undefined) closeSync(claim.file)
  claim.file = undefined
}

/** Where it fails, nobody else gets the session while this process lives. */
function letGo({ file, path }: OwnClaim, number: number): void {
  try {
    if (file === undefined) markReleased(path, number)
    else writeSync(file, released, 0, 1, textLength + number)
  } catch {
    // The claim is gone with its directory, or the disk is full.
  }
}

function markReleased(path: string, number: number): void {
  const file = openSync(path, constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0))
  try {
    writeSync(file, released, 0, 1, textLength + number)
  } finally {
    closeSync(file)
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // Gone already, or with its directory.
  }
}
