/** From the file of a session to its header and its events (G8). */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { SubagentError } from '../../errors.ts'
import { describeReason } from '../../run/contain.ts'
import type { SessionEvent, SessionHeader } from '../../types.ts'
import { checkEvent, checkHeader } from './check-event.ts'
import { sessionReasonOf } from './file.ts'
import type { FileContent } from './file.ts'

export interface LoadedSession {
  readonly header: SessionHeader
  readonly events: SessionEvent[]
  readonly content: FileContent
}

const newline = 10

/** @throws SubagentError INVALID_REQUEST where there is no such file, or it is no session */
export function loadSession(path: string, sessionId: string): LoadedSession {
  const bytes = readBytes(path, sessionId)
  let header: SessionHeader | undefined
  const events: SessionEvent[] = []
  let size = 0
  for (let start = 0, line = 1; start < bytes.length; line++) {
    const found = bytes.indexOf(newline, start)
    const end = found === -1 ? bytes.length : found
    const isLast = found === -1 || end + 1 === bytes.length
    try {
      const value: unknown = JSON.parse(bytes.toString('utf8', start, end))
      if (header) events.push(checkEvent(value, events.length))
      else header = checkHeader(value, sessionId)
    } catch (thrown) {
      // No event is the beginning of another one: a line that parses was written whole.
      if (thrown instanceof SyntaxError && isLast) break
      throw broken(path, line, describeReason(thrown).replace(/\.$/, ''))
    }
    start = size = Math.min(end + 1, bytes.length)
  }
  if (!header)
    throw broken(path, 1, 'there is no header, so its process ended before anything was kept. Delete the file, and begin a new session')
  if (events.length < (header.seedLength ?? 0))
    throw broken(path, events.length + 2, `it begins with ${header.seedLength} inherited events, and here they end`)
  return { header, events, content: { size, tornBytes: bytes.length - size, isOpenEnded: bytes[size - 1] !== newline } }
}

function readBytes(path: string, sessionId: string): Buffer {
  let file: number | undefined
  try {
    // Without waiting, as opening a pipe would.
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    if (!fstatSync(file).isFile()) throw new Error('it is no regular file')
    return readFileSync(file)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT')
      throw new SubagentError('INVALID_REQUEST', `There is no session ${JSON.stringify(sessionId)}: no file ${path}.`, { cause })
    throw new SubagentError('INVALID_REQUEST', `The session in ${path} cannot be read: ${sessionReasonOf(cause)}`, { cause })
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

function broken(path: string, line: number, why: string): SubagentError {
  return new SubagentError('INVALID_REQUEST', `${path} is not a session that can be read, line ${line}: ${why}.`)
}
