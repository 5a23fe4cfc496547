/**
 * The file of a claim: the text of a lock, padded, then a byte for each session, which is a dot once that one was let go.
 *
 * Owns: its name, its form, and what may lie in its place. Its neighbour, the claim, owns which sessions those are.
 */
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { parseLockText } from './lock-text.ts'
import type { Holder } from './lock-text.ts'
import { standingOf } from './process-identity.ts'

/** The text is padded to so much: a host has 64 bytes at most. */
const textLength = 256
const released = Buffer.from('.')
const nameForm = /^\.session-[0-9a-f]{12}-[0-9a-z]+\.claim$/

const { O_CREAT, O_EXCL, O_RDONLY, O_RDWR, O_WRONLY } = constants
/** No link, and no waiting, as opening a pipe would; Windows has no such flags. */
const asItIs = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** @param head what the ids of its sessions begin with */
export const claimPathOf = (root: string, head: string): string => join(root, `.${head}.claim`)

/**
 * Makes the file, which nobody else makes.
 *
 * @param count how many sessions there were, all of them let go but those that are `held`
 * @returns the open file
 * @throws what the file system throws; then there is none
 */
export function makeClaimFile(path: string, text: string, count: number, held: Iterable<number>): number {
  const content = Buffer.alloc(textLength + count, released)
  content.write(`${text.padEnd(textLength - 1)}\n`)
  for (const number of held) content[textLength + number] = 0
  const file = openSync(path, O_RDWR | O_CREAT | O_EXCL, 0o600)
  try {
    writeSync(file, content)
    return file
  } catch (thrown) {
    // One that does not say whose it is would lock out everybody.
    closeSync(file)
    removeClaimFile(path)
    throw thrown
  }
}

export interface ClaimContent {
  /** Undefined where the file does not say. */
  readonly holder: Holder | undefined
  /** Its process has surely ended. */
  readonly isDead: boolean
  readonly isReleased: boolean
}

/** What it says of a session. @returns undefined where there is no file @throws what the file system throws, and where it is none */
export function readClaimFile(path: string, number: number): ClaimContent | undefined {
  const text = Buffer.alloc(textLength)
  const state = Buffer.alloc(1)
  let file: number
  try {
    file = openSync(path, O_RDONLY | asItIs)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw thrown
  }
  try {
    if (!fstatSync(file).isFile()) throw new Error(`${path} is no regular file`)
    readSync(file, text, 0, textLength, 0)
    readSync(file, state, 0, 1, textLength + number)
  } finally {
    closeSync(file)
  }
  const holder = parseLockText(text.toString('utf8').trimEnd())
  return { holder, isDead: holder !== undefined && standingOf(holder) === 'dead', isReleased: state.equals(released) }
}

/** Says that a session was let go. @param file open, or closed again where it is not @throws what the file system throws */
export function markReleased(path: string, number: number, file?: number): void {
  const used = file ?? openSync(path, O_WRONLY | asItIs)
  try {
    writeSync(used, released, 0, 1, textLength + number)
  } finally {
    if (file === undefined) closeSync(used)
  }
}

/** Never throws: it may be gone already, or with its directory. */
export function removeClaimFile(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // As said.
  }
}

/** Takes away what killed processes left, whose sessions nobody may ever ask for. Never throws. */
export function sweepClaimFiles(root: string): void {
  for (const path of claimFilesIn(root))
    try {
      if (readClaimFile(path, 0)?.isDead) removeClaimFile(path)
    } catch {
      // What cannot be read stays.
    }
}

function claimFilesIn(root: string): string[] {
  try {
    return readdirSync(root).flatMap((name) => (nameForm.test(name) ? [join(root, name)] : []))
  } catch {
    // A directory in which files may be made, and not listed.
    return []
  }
}
