/**
 * The file of a session: whole lines are added to its end and nothing else changes it (G8).
 *
 * It is open while a turn is, and closed at rest, since thousands of agents may rest at a time; of those that run at a time
 * only some have theirs open, the others for the time of an addition. What happened to it in between shows before an
 * addition: a file or a directory that is gone, a file that is longer than what was written. The look for it is before the
 * first addition of a turn, before the last one, and before one between them where the last look is not fresh any more.
 * Written means handed to the operating system: it outlives the process, however that ends, and not a power cut.
 *
 * Invariant: a failed addition leaves the file as it was, as far as the disk lets that happen; it can be made again.
 */
import { closeSync, constants, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { reasonOf } from '../../run/system-errors.ts'
import type { Clock } from '../../types.ts'
import { isFresh } from './fresh.ts'

const { O_APPEND, O_CREAT, O_EXCL, O_WRONLY } = constants
/** A link in the place of the file is refused; Windows has no such flag. */
const noLink = constants.O_NOFOLLOW ?? 0

/** A process often may not have more than 256 or 1024 files and sockets open, and the models need theirs. */
const mostOpen = 64
/** Files of this process that are open beyond an addition. */
let openCount = 0

/** A session could not be written. The message names file and reason. */
export class SessionWriteError extends Error {
  override name = 'SessionWriteError'
}

export interface SessionFile {
  readonly path: string
  /** Whether it was made, or found. */
  isThere(): boolean
  /**
   * Adds lines, and stays open for more where few others are; makes the file with the first ones.
   *
   * @param isLast nothing will be added for a while: it is closed
   * @throws SessionWriteError
   */
  append(text: string, isLast?: boolean): void
  /** Closes the file until the next addition. Never throws; a second call does nothing. */
  rest(): void
  /** @throws SessionWriteError where the file is not as it was left */
  check(): void
}

/** What a file holds: `size` bytes that are whole lines, but for the end of the last one where it is open, then torn ones. */
export interface FileContent {
  readonly size: number
  readonly tornBytes: number
  readonly isOpenEnded: boolean
}

/** @param content absent where there is no file yet */
export function createSessionFile(path: string, clock: Pick<Clock, 'now'>, content?: FileContent): SessionFile {
  let isThere = content !== undefined
  let isOpenEnded = content?.isOpenEnded ?? false
  let size = content?.size ?? 0
  /** What it has on the disk; more than `size` where something is to be cut off first. */
  let onDisk = size + (content?.tornBytes ?? 0)
  let opened: number | undefined
  let lookedAt = 0

  const open = (): number => openSync(path, O_WRONLY | O_APPEND | noLink | (isThere ? 0 : O_CREAT | O_EXCL), 0o600)
  const checkOpened = (file: number): void => {
    const stats = fstatSync(file)
    if (!stats.isFile()) throw new Error('it is no file any more')
    if (stats.nlink === 0) throw new Error('the file or its directory is gone')
    if (stats.size !== onDisk) throw new Error(`it has ${stats.size} bytes where ${onDisk} were left: somebody else changed it`)
  }
  const cut = (file: number): void => {
    if (onDisk === size) return
    ftruncateSync(file, size)
    onDisk = size
  }
  const add = (file: number, text: string): void => {
    isThere = true
    cut(file)
    const length = Buffer.byteLength(text)
    try {
      onDisk += writeSync(file, text)
      if (onDisk - size < length) {
        // A disk that is nearly full takes a part.
        const bytes = Buffer.from(text)
        while (onDisk - size < length) onDisk += writeSync(file, bytes, onDisk - size)
      }
    } catch (thrown) {
      try {
        // The end of it is that of this addition only where nobody wrote to it since the last look.
        if (fstatSync(file).size === onDisk) cut(file)
      } catch {
        // The next addition does.
      }
      throw thrown
    }
    size = onDisk
    isOpenEnded = false
  }
  const guard = (doing: string, work: () => void): void => {
    try {
      work()
    } catch (cause) {
      throw new SessionWriteError(`The session could not be ${doing} ${path}: ${sessionReasonOf(cause)}`, { cause })
    }
  }
  const rest = (): void => {
    if (opened === undefined) return
    const file = opened
    opened = undefined
    openCount--
    try {
      closeSync(file)
    } catch {
      // Everything was handed over before; whatever the disk has against it shows at the next addition.
    }
  }

  return {
    path,
    isThere: () => isThere,
    rest,
    append: (text, isLast = false) =>
      guard('written to', () => {
        try {
          const now = clock.now()
          let mayDiffer = isLast || !isFresh(lookedAt, now)
          if (opened === undefined) {
            opened = open()
            openCount++
            mayDiffer = true
          }
          // One that is made by this has nothing in it that could be somebody else's.
          if (mayDiffer) {
            if (isThere) checkOpened(opened)
            lookedAt = now
          }
          add(opened, isOpenEnded ? `\n${text}` : text)
          if (isLast || openCount > mostOpen) rest()
        } catch (thrown) {
          rest()
          throw thrown
        }
      }),
    check() {
      if (!isThere) return
      guard('continued in', () => {
        const file = open()
        try {
          checkOpened(file)
        } finally {
          closeSync(file)
        }
      })
    },
  }
}

/** What happens to a file that was there before. */
const words = {
  ENOENT: 'the file or its directory is gone.',
  ENOTDIR: 'its directory is gone.',
  ELOOP: 'it is a symbolic link.',
  EEXIST: 'a file of that name appeared meanwhile.',
}

/** What went wrong with the file of a session, or its directory; without its path. */
export const sessionReasonOf = (thrown: unknown): string => reasonOf(thrown, words)
