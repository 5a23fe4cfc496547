/** Goes through the files of a folder in a fixed order, within bounds, and keeps account of what it left out. Contract: C4. */
import { readdir } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { FolderRules } from './ignore-rules.ts'
import { locate, type Workspace } from './workspace.ts'
import { WorkspaceError } from './workspace-error.ts'

export interface WalkedFile {
  /** Relative to the root, with slashes. */
  readonly path: string
  readonly real: string
}

export interface WalkOptions {
  /** Also what is in sub-folders. @default true */
  readonly recursive?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

export interface Walk {
  /** The folder itself, relative to the root. */
  readonly path: string
  /** In the order of the paths; a folder's own files come before those of its sub-folders. */
  readonly files: readonly WalkedFile[]
  /** One sentence for each kind of thing that was left out. */
  readonly notes: readonly string[]
}

const entriesInOneGo = 100

/** @throws WorkspaceError for the folder itself, the signal's reason when it aborts */
export async function walk(workspace: Workspace, path: string, options: WalkOptions = {}): Promise<Walk> {
  const start = await locate(workspace, path)
  if (!start.isFolder) throw new WorkspaceError('not-a-folder', `${start.path} is not a folder. Use read_file for a file.`)
  const { entries: most, depth: deepest } = workspace.limits
  const files: WalkedFile[] = []
  const unreadable: string[] = []
  const unruled: string[] = []
  const tooDeep: string[] = []
  const passedOver = new Set<string>()
  let seen = 0
  let links = 0
  let full = false

  const visit = async (folder: { path: string; real: string }, rulesOf: () => Promise<FolderRules>, depth: number): Promise<void> => {
    options.signal?.throwIfAborted()
    let entries, rules
    try {
      rules = await rulesOf()
      for (const rule of rules.passedOver) passedOver.add(rule)
      entries = await readdir(folder.real, { withFileTypes: true })
    } catch (error) {
      if (folder.path === start.path && isRulesError(error)) throw error
      ;(isRulesError(error) ? unruled : unreadable).push(folder.path)
      return
    }
    entries.sort((a, b) => (a.name < b.name ? -1 : 1))
    const folders: { path: string; real: string; name: string }[] = []
    for (const [index, entry] of entries.entries()) {
      if (full) return
      if (index % entriesInOneGo === entriesInOneGo - 1) {
        // Matching the rules can take its time, and meanwhile nobody would hear of an interrupt.
        await setImmediate()
        options.signal?.throwIfAborted()
      }
      if (rules.hides(entry.name, entry.isDirectory())) continue
      if (++seen > most) {
        full = true
        return
      }
      const child = {
        path: folder.path === '.' ? entry.name : `${folder.path}/${entry.name}`,
        real: join(folder.real, entry.name),
        name: entry.name,
      }
      if (entry.isSymbolicLink()) links++
      else if (entry.isFile()) files.push({ path: child.path, real: child.real })
      else if (entry.isDirectory()) folders.push(child)
    }
    if (options.recursive === false) return
    for (const child of folders) {
      if (full) return
      if (depth + 1 > deepest) tooDeep.push(child.path)
      else await visit(child, () => rules.enter(child.name), depth + 1)
    }
  }

  await visit(start, () => rulesAt(workspace, start.real), 0)
  if (unreadable.includes(start.path)) throw new WorkspaceError('unreadable', `The folder ${start.path} cannot be read.`)
  const notes = []
  if (full) notes.push(`Stopped after ${most} entries: there is more. Give a sub-folder as path to see the rest.`)
  if (tooDeep.length > 0) notes.push(`Folders deeper than ${deepest} levels were left out: ${some(tooDeep)}.`)
  if (unreadable.length > 0) notes.push(`Folders that cannot be read: ${some(unreadable)}.`)
  if (unruled.length > 0) notes.push(`Folders whose .gitignore or .ignore cannot be read, so that they are not shown: ${some(unruled)}.`)
  if (passedOver.size > 0)
    notes.push(`Rules with too many wildcards were passed over, and what they name is not hidden: ${some([...passedOver])}.`)
  if (links > 0) notes.push(`Symbolic links are not followed: ${links} left out.`)
  return { path: start.path, files, notes }
}

function isRulesError(error: unknown): boolean {
  return error instanceof WorkspaceError && error.reason === 'rules-unreadable'
}

async function rulesAt(workspace: Workspace, real: string): Promise<FolderRules> {
  let rules = workspace.rules
  const below = real
    .slice(workspace.root.length)
    .split(sep)
    .filter((component) => component !== '')
  for (const component of below) rules = await rules.enter(component)
  return rules
}

/** Names the first three of a list and counts the rest. */
export function some(paths: readonly string[]): string {
  const shown = paths.slice(0, 3).join(', ')
  return paths.length > 3 ? `${shown} and ${paths.length - 3} more` : shown
}
