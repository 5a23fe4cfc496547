/**
 * The fence: turns a path that a model gave into a real path inside the root, or refuses. Contract: C4.
 *
 * Every component is looked at by itself, so that a symbolic link in the middle of a path is judged before anything
 * behind it is touched: whether a file outside exists cannot be learned from the answers.
 */
import { lstat, realpath } from 'node:fs/promises'
import { join, posix, sep } from 'node:path'
import { fromSystemError, WorkspaceError } from './workspace-error.ts'

export interface InsidePath {
  /** As the model knows it: relative to the root, with slashes, `.` for the root. */
  readonly path: string
  /** Absolute, without symbolic links. */
  readonly real: string
}

/**
 * @param root absolute and without symbolic links
 * @throws WorkspaceError `outside`, `missing`, `unreadable`, `invalid-input`
 */
export async function confine(root: string, path: string): Promise<InsidePath> {
  const relative = normalise(path)
  let real = root
  if (relative === '.') return { path: relative, real }
  for (const component of relative.split('/')) {
    const next = join(real, component)
    try {
      real = (await lstat(next)).isSymbolicLink() ? await follow(root, next, relative) : next
    } catch (error) {
      throw fromSystemError(error, relative)
    }
  }
  return { path: relative, real }
}

async function follow(root: string, link: string, shown: string): Promise<string> {
  const target = await realpath(link).catch(() => undefined)
  // A link that leads nowhere gets the same answer: where it points to is not told.
  if (target === undefined || !isInside(root, target)) {
    throw new WorkspaceError(
      'outside',
      `${shown} goes through a symbolic link that leads out of the workspace or to nothing. It is not followed.`,
    )
  }
  return target
}

/** True for `root` itself and for what is below it; both absolute and real. */
export function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)
}

function normalise(path: string): string {
  if (path.includes('\0')) throw new WorkspaceError('invalid-input', 'A path cannot have a NUL character in it.')
  const slashed = sep === '\\' ? path.replaceAll('\\', '/') : path
  if (slashed.startsWith('/') || (/^[a-z]:/i.test(slashed) && sep === '\\')) {
    throw new WorkspaceError(
      'outside',
      `${path} is an absolute path. Give one that is relative to the workspace, such as src/index.ts, or "." for all of it.`,
    )
  }
  const normal = posix.normalize(slashed === '' ? '.' : slashed).replace(/(?<=.)\/+$/, '')
  if (normal === '..' || normal.startsWith('../')) {
    throw new WorkspaceError('outside', `${path} leads out of the workspace. Only what is below it can be read.`)
  }
  return normal
}
