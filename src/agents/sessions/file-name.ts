/**
 * The file name of a session id: one name an id and one id a name, on disks that fold case too.
 *
 * Ids of lower-case letters, digits, `-`, `_` and dots inside are names as they are. Every other character, and the first
 * one where the name would mean something else (a hidden file, a device of Windows), is written as `%xx`, byte by byte of
 * its UTF-8. So no id leaves the directory, and no two meet.
 */
import { invalid } from '../../run/request.ts'

/** Leaves room for what a lock adds to it; file systems take 255 bytes. */
const maxLength = 200
const device = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/

/** @throws SubagentError INVALID_REQUEST where the id makes no name: longer than 200 characters, or no well-formed text */
export function sessionFileName(sessionId: string): string {
  if (/\p{Surrogate}/u.test(sessionId)) throw invalid('sessionId', 'well-formed text, without a half of a surrogate pair', sessionId)
  let name = sessionId.replace(/^\.|\.$|[^a-z0-9._-]/gu, encode)
  if (device.test(name)) name = encode(name[0]!) + name.slice(1)
  if (name.length > maxLength)
    throw invalid(
      'sessionId',
      `at most ${maxLength} characters as a file name, where characters other than a-z, 0-9, -, _ and . take three and more`,
      sessionId,
    )
  return name
}

function encode(character: string): string {
  return Array.from(new TextEncoder().encode(character), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
}
