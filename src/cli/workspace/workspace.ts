/** A folder that tools may read: its root, its rules, its bounds. Contract: C4. */
import { lstat, realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { confine, type InsidePath } from './confine.ts'
import { isHidden, loadRules, type FolderRules } from './ignore-rules.ts'
import { defaultLimits, type WorkspaceLimits } from './limits.ts'
import { fromSystemError, WorkspaceError } from './workspace-error.ts'

export interface Workspace {
  /** Absolute, without symbolic links. */
  readonly root: string
  readonly rules: FolderRules
  readonly limits: WorkspaceLimits
}

/** @throws WorkspaceError `missing`, `not-a-folder`, `unreadable` */
export async function openWorkspace(folder: string, limits: Partial<WorkspaceLimits> = {}): Promise<Workspace> {
  try {
    const root = await realpath(resolve(folder))
    if (!(await lstat(root)).isDirectory()) throw new WorkspaceError('not-a-folder', `${folder} is not a folder.`)
    return { root, rules: await loadRules(root), limits: { ...defaultLimits, ...limits } }
  } catch (error) {
    throw fromSystemError(error, folder)
  }
}

/** Where `path` is, if it may be seen. Hidden stays hidden under another name: the link and what it leads to are both asked for. */
export async function locate(workspace: Workspace, path: string): Promise<InsidePath & { readonly isFolder: boolean }> {
  const inside = await confine(workspace.root, path)
  try {
    const isFolder = (await lstat(inside.real)).isDirectory()
    const byName = resolve(workspace.root, inside.path)
    if (
      (await isHidden(workspace.rules, workspace.root, inside.real, isFolder)) ||
      (await isHidden(workspace.rules, workspace.root, byName, isFolder))
    ) {
      throw new WorkspaceError(
        'ignored',
        `${inside.path} is hidden by .gitignore or .ignore, or is in .git or node_modules. It is left out on purpose.`,
      )
    }
    return { ...inside, isFolder }
  } catch (error) {
    throw fromSystemError(error, inside.path)
  }
}
