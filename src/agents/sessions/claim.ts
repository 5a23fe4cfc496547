/**
 * What a process has of a directory of sessions, in one file for all whose ids it makes itself (G8).
 *
 * Nobody else can have begun a session of such an id, and the id says which process did: so one file says who holds them all,
 * where a lock each would cost a link made, read and taken away in a directory, which is more than all lines of a short
 * session. Who wants one of them takes its lock, as for any session, and looks here as well; who has let one go and wants it
 * again does the same.
 *
 * Invariants: the file is there before the first of its sessions is, and goes when its process ends by itself; that of a
 * killed one is taken away by the first that finds it dead, which is who wants one of its sessions or makes a claim of its
 * own there. Where somebody removes it, or its directory, the next session or addition that finds that makes it anew.
 */
import { closeSync, existsSync } from 'node:fs'
import { uniqueId } from '../../run/defaults.ts'
import { claimPathOf, makeClaimFile, markReleased, readClaimFile, removeClaimFile, sweepClaimFiles } from './claim-file.ts'
import type { ClaimContent } from './claim-file.ts'
import { isFresh } from './fresh.ts'
import { lockText } from './lock-text.ts'
import { freeAtExit } from './lock.ts'
import type { Lock } from './lock.ts'
import { thisProcess } from './process-identity.ts'

const idOf = (head: string, number: number): string => `${head}-${number.toString(36)}`
const form = /^(session-[0-9a-f]{12}-[0-9a-z]+)-([0-9a-z]{1,8})$/

/** Those of as many directories stay open; beyond that one is opened to let a session go. */
const mostOpen = 16
const own = new Map<string, OwnClaim>()
/** Which have their file open, the one that was opened last at the end. */
const opened = new Set<OwnClaim>()

interface OwnClaim {
  readonly head: string
  readonly path: string
  readonly since: number
  readonly held: Set<number>
  next: number
  file: number | undefined
  lookedAt: number
}

export interface ClaimedSession {
  readonly sessionId: string
  readonly lock: Lock
  /**
   * Makes the claim anew where it is gone: somebody cleaned up, or moved the directory away.
   *
   * @param now milliseconds since the epoch
   * @param isKnownGone a look that was just made does not count
   * @throws what the file system throws
   */
  look(now: number, isKnownGone?: boolean): void
}

/**
 * A new id, and the session of that id for this process.
 *
 * @param root absolute path of a directory that is there
 * @param now milliseconds since the epoch
 * @throws what the file system throws
 */
export function claimSession(root: string, now: number): ClaimedSession {
  const claim = own.get(root) ?? makeClaim(root, now)
  look(claim, now)
  const number = claim.next++
  claim.held.add(number)
  return {
    sessionId: idOf(claim.head, number),
    lock: { release: () => void (claim.held.delete(number) && letGo(claim, number)) },
    look: (at, isKnownGone) => look(claim, at, isKnownGone),
  }
}

/** Whether this process has it by its claim. */
export function isClaimedHere(root: string, sessionId: string): boolean {
  const [, head, digits] = form.exec(sessionId) ?? []
  const claim = own.get(root)
  return head !== undefined && claim?.head === head && claim.held.has(Number.parseInt(digits!, 36))
}

export interface Claimant extends Pick<ClaimContent, 'holder' | 'isDead'> {
  readonly path: string
  /** Takes the session from it. @throws what the file system throws */
  free(): void
}

/** Who has claimed a session and not let it go, dead or alive. @throws what the file system throws */
export function claimantOf(root: string, sessionId: string): Claimant | undefined {
  const [, head, digits] = form.exec(sessionId) ?? []
  if (head === undefined) return undefined
  const path = claimPathOf(root, head)
  const number = Number.parseInt(digits!, 36)
  const claim = own.get(root)
  if (claim?.head === head) {
    // Known without the file, which somebody may have removed.
    if (!claim.held.has(number)) return undefined
    const holder = { ...thisProcess(), since: claim.since }
    return { path, holder, isDead: false, free: () => void (claim.held.delete(number) && letGo(claim, number)) }
  }
  const found = readClaimFile(path, number)
  if (!found) return undefined
  const { holder, isDead, isReleased } = found
  if (isDead && isReleased) removeClaimFile(path)
  if (isReleased) return undefined
  return { path, holder, isDead, free: () => (isDead ? removeClaimFile(path) : markReleased(path, number)) }
}

function makeClaim(root: string, now: number): OwnClaim {
  const head = `session${uniqueId().slice('run'.length)}`
  const path = claimPathOf(root, head)
  const claim: OwnClaim = { head, path, since: now, held: new Set(), next: 0, file: undefined, lookedAt: now }
  makeFile(claim)
  own.set(root, claim)
  freeAtExit({ release: () => removeClaimFile(path) })
  sweepClaimFiles(root)
  return claim
}

function makeFile(claim: OwnClaim): void {
  const { path, since, next, held } = claim
  claim.file = makeClaimFile(path, lockText({ ...thisProcess(), since }, 0), next, held)
  opened.add(claim)
  if (opened.size > mostOpen) close([...opened][0]!)
}

function look(claim: OwnClaim, now: number, isKnownGone = false): void {
  if (!isKnownGone && isFresh(claim.lookedAt, now)) return
  if (!existsSync(claim.path)) {
    close(claim)
    makeFile(claim)
  }
  claim.lookedAt = now
}

function close(claim: OwnClaim): void {
  opened.delete(claim)
  if (claim.file !== undefined) closeSync(claim.file)
  claim.file = undefined
}

/** Where it fails, nobody else gets the session while this process lives. */
function letGo({ file, path }: OwnClaim, number: number): void {
  try {
    markReleased(path, number, file)
  } catch {
    // The claim is gone with its directory, or the disk is full.
  }
}
