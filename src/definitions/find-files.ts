/** Which files of a folder are read: every `*.md` but those that begin with a dot, sub-folders included, in the order of their paths; nothing outside of it. */
import { readdir, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { SubagentError } from '../errors.ts'
import type { Findings } from './findings.ts'

export interface DefinitionFile {
  /** Below the folder as it was given, to be shown. */
  readonly path: string
  /** Absolute, without symbolic links. */
  readonly real: string
}

const mostFiles = 1000
const deepest = 10

/** @throws SubagentError INVALID_REQUEST where the folder is none, or cannot be read */
export async function findFiles(directory: string, findings: Findings): Promise<DefinitionFile[]> {
  const root = await openFolder(directory)
  const found = new Map<string, string>()
  const links: DefinitionFile[] = []
  let seen = 0

  const visit = async (path: string, real: string, depth: number): Promise<void> => {
    let entries
    try {
      entries = await readdir(real, { withFileTypes: true })
    } catch (error) {
      return findings.problem(path, `the folder cannot be read (${codeOf(error)}).`)
    }
    for (const entry of entries) {
      const inner: DefinitionFile = { path: join(path, entry.name), real: join(real, entry.name) }
      // Kept by tools, not by people: the lock of an editor, what a system writes beside a file.
      if (entry.name.startsWith('.')) {
        findings.debug(inner.path, 'its name begins with a dot, so it was passed over.')
        continue
      }
      if (entry.isDirectory()) {
        if (entry.name === 'node_modules') continue
        if (depth >= deepest) findings.problem(inner.path, `it is more than ${deepest} folders deep. Name a folder of agents alone.`)
        else await visit(inner.path, inner.real, depth + 1)
      } else if (/\.md$/i.test(entry.name)) {
        if (++seen > mostFiles) return
        if (entry.isFile()) found.set(inner.real, inner.path)
        else if (entry.isSymbolicLink()) links.push(inner)
        else findings.problem(inner.path, 'it is no regular file.')
      } else if (entry.isSymbolicLink()) links.push(inner)
    }
  }

  await visit(directory, root, 0)
  if (seen > mostFiles) findings.problem(directory, `there are more than ${mostFiles} .md files in it. Name a folder of agents alone.`)
  for (const link of links) {
    const target = await follow(link, root, findings)
    if (target !== undefined && !found.has(target)) found.set(target, link.path)
  }
  return Array.from(found, ([real, path]) => ({ path, real })).sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Where a link leads, if that is a file of the folder; a folder inside is read in its own place. */
async function follow({ path, real }: DefinitionFile, root: string, { problem, warning }: Findings): Promise<string | undefined> {
  const isDefinition = /\.md$/i.test(path)
  try {
    const target = await realpath(real)
    const kind = await stat(target)
    if (!isDefinition && !kind.isDirectory()) return undefined
    if (!target.startsWith(root.endsWith(sep) ? root : root + sep) && target !== root) {
      warning(path, 'the symbolic link leads out of the folder and was not followed. Put what it leads to into the folder.')
      return undefined
    }
    return isDefinition && kind.isFile() ? target : undefined
  } catch (error) {
    if (isDefinition) problem(path, `the symbolic link cannot be followed (${codeOf(error)}).`)
    return undefined
  }
}

async function openFolder(directory: string): Promise<string> {
  let root, kind
  try {
    root = await realpath(directory)
    kind = await stat(root)
  } catch (error) {
    const code = codeOf(error)
    const why = code === 'ENOENT' || code === 'ENOTDIR' ? 'does not exist' : `cannot be read (${code})`
    throw new SubagentError('INVALID_REQUEST', `The folder of agent definitions ${why}: ${directory}`, { cause: error })
  }
  if (!kind.isDirectory())
    throw new SubagentError(
      'INVALID_REQUEST',
      `Agent definitions are read from a folder, and ${directory} is none. Name the folder it is in.`,
    )
  return root
}

/** Code of a failed system call; the error may come from another realm, where it is no instance of our Error. */
export function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'unknown error'
}
