/** Failed calls of the system in words: what Node says of them is a code, a call and a path, and the path stands beside it already. */
import { describeThrown } from './contain.ts'

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full.',
  EDQUOT: 'the disk quota is used up.',
  EFBIG: 'the file would be larger than the system allows.',
  EACCES: 'permission denied.',
  EPERM: 'permission denied.',
  EROFS: 'the disk is read-only.',
  ENOENT: 'there is no such file or directory.',
  ENOTDIR: 'a part of its path is no directory.',
  ELOOP: 'its symbolic links lead in a circle.',
  EISDIR: 'it is a directory.',
  ENAMETOOLONG: 'its name is too long.',
  EMFILE: 'this process has as many files and connections open as it may (ulimit -n): raise that, or run fewer agents at a time.',
  ENFILE: 'the system has as many files open as it allows.',
  EEXIST: 'a file of that name is there already.',
  EADDRINUSE: 'somebody else listens on it.',
}

/**
 * What went wrong with a file, a directory or a port: a clause with its full stop, without the path.
 *
 * @param words for codes that mean something narrower where they come from
 */
export function reasonOf(thrown: unknown, words: Readonly<Record<string, string>> = {}): string {
  const code: unknown = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined
  const known = typeof code === 'string' ? (words[code] ?? reasons[code]) : undefined
  if (known !== undefined) return known
  // Codes of Node itself, as ERR_SOCKET_BAD_PORT, have an underscore, and a message that says more.
  if (typeof code === 'string' && /^E[A-Z0-9]+$/.test(code)) return `${code}.`
  return (thrown instanceof Error ? thrown.message : describeThrown(thrown)).replace(/\.?$/, '.')
}
