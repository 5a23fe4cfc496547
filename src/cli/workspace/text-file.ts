/** Reads a file as text, or says which kind of file it is instead. Contract: C4. */
import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { fromSystemError, WorkspaceError } from './workspace-error.ts'

export interface TextFile {
  readonly text: string
  readonly bytes: number
  /** False where bytes were no UTF-8 and are shown as U+FFFD. */
  readonly exact: boolean
}

/**
 * @param file `real` as `locate` gave it
 * @throws WorkspaceError `missing`, `unreadable`, `not-a-file`, `huge`, `binary`; the signal's reason when it aborts
 */
export async function readTextFile(
  file: { readonly path: string; readonly real: string },
  mostBytes: number,
  signal?: AbortSignal,
): Promise<TextFile> {
  let handle
  try {
    // Without NONBLOCK a named pipe would hold the call for ever; NOFOLLOW refuses a link that came after the check.
    handle = await open(file.real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    const stats = await handle.stat()
    if (stats.isDirectory()) throw new WorkspaceError('not-a-file', `${file.path} is a folder. Use list_files to see what is in it.`)
    if (!stats.isFile()) throw new WorkspaceError('not-a-file', `${file.path} is not a regular file.`)
    if (stats.size > mostBytes) throw huge(file.path, `${stats.size} bytes`, mostBytes)
    // A file under /proc has the size 0 and may not end, and one that grows has more than it said.
    const bytes = await readAtMost(handle, mostBytes + 1, signal)
    if (bytes.length > mostBytes) throw huge(file.path, `more than ${mostBytes} bytes`, mostBytes)
    return decode(file.path, bytes)
  } catch (error) {
    signal?.throwIfAborted()
    throw fromSystemError(error, file.path)
  } finally {
    await handle?.close()
  }
}

const chunkBytes = 64 * 1024

/** Whole chunks, since some files of /proc refuse to be read in odd lengths. */
async function readAtMost(handle: FileHandle, most: number, signal: AbortSignal | undefined): Promise<Buffer> {
  const chunks: Buffer[] = []
  for (let length = 0; length < most;) {
    signal?.throwIfAborted()
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(chunkBytes))
    if (bytesRead === 0) break
    chunks.push(buffer.subarray(0, bytesRead))
    length += bytesRead
  }
  return Buffer.concat(chunks).subarray(0, most)
}

function huge(path: string, size: string, most: number): WorkspaceError {
  return new WorkspaceError('huge', `${path} is too large to read: ${size}, the limit is ${most}.`)
}

function decode(path: string, bytes: Buffer): TextFile {
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined
  if (utf16 !== undefined) return { text: new TextDecoder(utf16).decode(bytes), bytes: bytes.length, exact: true }
  if (bytes.includes(0)) throw new WorkspaceError('binary', `${path} is a binary file (${bytes.length} bytes) and cannot be shown as text.`)
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), bytes: bytes.length, exact: true }
  } catch {
    return { text: new TextDecoder().decode(bytes), bytes: bytes.length, exact: false }
  }
}

/** The lines of a text; a newline at the end does not make a further, empty one. */
export function linesOf(text: string): string[] {
  if (text === '') return []
  const lines = text.split(/\r\n|\n|\r/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}
