/**
 * Sessions on disk: `<directory>/<session>.jsonl`, the header and then an event a line, and a lock beside each that a live
 * agent of some process has, or one file a process for those whose ids it made here (G8).
 */
import { lstatSync, mkdirSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { SubagentError } from '../../errors.ts'
import { warn } from '../../run/contain.ts'
import type { Clock, Logger } from '../../types.ts'
import { claimantOf, claimSession, isClaimedHere } from './claim.ts'
import type { ClaimedSession } from './claim.ts'
import { sessionFileName } from './file-name.ts'
import { createSessionFile, sessionReasonOf } from './file.ts'
import type { FileContent } from './file.ts'
import { loadSession } from './load.ts'
import type { LoadedSession } from './load.ts'
import { acquireLock, breakLock, taken } from './lock.ts'
import type { Lock } from './lock.ts'
import { standingOf } from './process-identity.ts'

/** Where the log of one session is kept, for as long as nobody else has it. */
export interface SessionStore {
  /** Adds whole lines. @param isLast nothing will be added for a while @throws SessionWriteError */
  append(lines: string, isLast: boolean): void
  /** Takes a store that was closed again. @throws SubagentError INVALID_REQUEST where somebody has it or has changed it */
  reopen(): void
  /** Lets others have it. Never throws; a second call does nothing. */
  close(): void
}

export interface SessionDirectory {
  /** Whether anything of it is on disk. */
  has(sessionId: string): boolean
  /** @throws SubagentError INVALID_REQUEST where there is such a session, or the directory takes none */
  create(sessionId: string): SessionStore
  /** Begins one under an id that is made here, which costs less. @throws SubagentError INVALID_REQUEST where the directory takes none */
  createNew(): { readonly sessionId: string; readonly store: SessionStore }
  /** @throws SubagentError INVALID_REQUEST where there is none, somebody has it, or the file is none */
  open(sessionId: string): { readonly session: LoadedSession; readonly store: SessionStore }
  /**
   * Takes away the lock of a holder of which it cannot be told from here whether it is alive.
   *
   * @returns whether there was a lock
   * @throws SubagentError INVALID_REQUEST where the holder is alive
   */
  unlock(sessionId: string): boolean
  /** Looks without taking it. @throws SubagentError INVALID_REQUEST where there is none, or the file is none */
  read(sessionId: string): LoadedSession
  /** Where a session is kept, or is going to be by the agent that has it; undefined where there is none. Never throws. */
  find(sessionId: string): string | undefined
}

export interface SessionDirectoryOptions {
  readonly directory: string
  readonly clock: Clock
  readonly logger: Logger
}

export function openSessionDirectory({ directory, clock, logger }: SessionDirectoryOptions): SessionDirectory {
  // The current directory of the process may change.
  const root = resolve(directory)
  const start = join(root, sep)
  const pathOf = (sessionId: string) => `${start}${sessionFileName(sessionId)}.jsonl`
  const lockPathOf = (sessionId: string) => `${start}${sessionFileName(sessionId)}.lock`
  const lock = (sessionId: string): Lock =>
    atLock((path, what, now) => {
      const held = acquireLock(path, what, now)
      try {
        const claimant = claimantOf(root, sessionId)
        if (claimant && !claimant.isDead) throw taken(claimant.path, what, claimant.holder)
        claimant?.free()
        return held
      } catch (thrown) {
        held.release()
        throw thrown
      }
    }, sessionId)
  const unlock = (sessionId: string): boolean =>
    atLock((path, what, now) => {
      const claimant = claimantOf(root, sessionId)
      const standing = claimant?.holder && standingOf(claimant.holder)
      if (standing === 'this' || standing === 'alive') throw taken(path, what, claimant?.holder)
      claimant?.free()
      return breakLock(path, what, now) || claimant !== undefined
    }, sessionId)
  const atLock = <T>(work: (path: string, what: string, now: number) => T, sessionId: string): T => {
    const what = `Session ${JSON.stringify(sessionId)}`
    return here(what, () => work(lockPathOf(sessionId), what, clock.now()))
  }
  const here = <T>(what: string, work: () => T): T => {
    try {
      return work()
    } catch (cause) {
      if (SubagentError.is(cause)) throw cause
      throw new SubagentError('INVALID_REQUEST', `${what} cannot be kept in ${root}: ${sessionReasonOf(cause)}`, { cause })
    }
  }
  let isMade = false
  const makeDirectory = (): void => {
    try {
      mkdirSync(root, { recursive: true, mode: 0o700 })
      isMade = true
    } catch (cause) {
      throw new SubagentError('INVALID_REQUEST', `sessions.directory ${root} cannot be made: ${sessionReasonOf(cause)}`, { cause })
    }
  }
  /** Runs `work` in the directory, which it makes where it is not there. */
  const inDirectory = <T>(work: () => T): T => {
    if (!isMade) makeDirectory()
    try {
      return work()
    } catch (thrown) {
      // Somebody cleaned up since it was made.
      if (!isGone(thrown)) throw thrown
      makeDirectory()
      return work()
    }
  }
  /** @param claimed where `taken` is that of a session whose id was made here */
  const storeOf = (sessionId: string, taken: Lock, content?: FileContent, claimed?: ClaimedSession): SessionStore => {
    const file = createSessionFile(pathOf(sessionId), clock, content)
    let held: Lock | undefined = taken
    return {
      append(lines, isLast) {
        const claim = held === taken ? claimed : undefined
        try {
          claim?.look(clock.now())
        } catch {
          // What has happened to the directory shows at the file.
        }
        try {
          file.append(lines, isLast)
        } catch (thrown) {
          // Somebody cleaned up after it was claimed, and before it was there.
          if (!claim || file.isThere() || !isGone(thrown)) throw thrown
          makeDirectory()
          here('The session', () => claim.look(clock.now(), true))
          file.append(lines, isLast)
        }
      },
      reopen() {
        const again = lock(sessionId)
        try {
          file.check()
        } catch (cause) {
          again.release()
          throw new SubagentError('INVALID_REQUEST', `${(cause as Error).message} agents.resume() reads it anew.`, { cause })
        }
        held = again
      },
      close() {
        file.rest()
        held?.release()
        held = undefined
      },
    }
  }
  /** Runs `work` with the session's lock, which it keeps if it succeeds. */
  const holding = <T>(sessionId: string, work: (held: Lock) => T): T => {
    const held = lock(sessionId)
    try {
      return work(held)
    } catch (thrown) {
      held.release()
      throw thrown
    }
  }

  const begin = (sessionId: string): SessionStore =>
    holding(sessionId, (held) => {
      const path = pathOf(sessionId)
      if (lstatSync(path, { throwIfNoEntry: false }))
        throw new SubagentError(
          'INVALID_REQUEST',
          `Session ${JSON.stringify(sessionId)} is there already, in ${path}. Resume it, or pick another sessionId.`,
        )
      return storeOf(sessionId, held)
    })

  return {
    has: (sessionId) => lstatSync(pathOf(sessionId), { throwIfNoEntry: false }) !== undefined,
    create: (sessionId) => inDirectory(() => begin(sessionId)),
    createNew: () =>
      inDirectory(() => {
        const claimed = here('A session', () => claimSession(root, clock.now()))
        const { sessionId, lock: held } = claimed
        return { sessionId, store: storeOf(sessionId, held, undefined, claimed) }
      }),
    open(sessionId) {
      const path = pathOf(sessionId)
      // Told before a lock is made in a directory that may not even be there.
      if (!lstatSync(path, { throwIfNoEntry: false })) loadSession(path, sessionId)
      return holding(sessionId, (held) => {
        const session = loadSession(path, sessionId)
        const { size, tornBytes } = session.content
        if (tornBytes > 0)
          warn(logger, `${path} ends in a line that was not written to its end: ${tornBytes} bytes from byte ${size} on are dropped.`)
        return { session, store: storeOf(sessionId, held, session.content) }
      })
    },
    unlock,
    read: (sessionId) => loadSession(pathOf(sessionId), sessionId),
    find(sessionId) {
      try {
        const path = pathOf(sessionId)
        const isThere =
          isClaimedHere(root, sessionId) || [path, lockPathOf(sessionId)].some((each) => lstatSync(each, { throwIfNoEntry: false }))
        return isThere ? path : undefined
      } catch {
        // An id that makes no name, a directory that cannot be entered.
        return undefined
      }
    },
  }
}

/** Whether there is no such file or directory, by what was thrown for it. */
function isGone(thrown: unknown): boolean {
  return ((thrown as Error).cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT'
}
