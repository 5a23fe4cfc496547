import { walk } from './walk.ts'
import type { Workspace } from './workspace.ts'

export interface FileListing {
  /** The folder that was listed, relative to the root. */
  readonly path: string
  /** Number of files below it. */
  readonly total: number
  /** Paths relative to the root, in order. */
  readonly files: readonly string[]
  /** The folders directly in it, with the number of files below each. */
  readonly folders: readonly { readonly path: string; readonly files: number }[]
  /** What was left out. Absent when nothing was. */
  readonly notes?: readonly string[]
}

/** Lists the files below `path`. Of too many the ones nearest to it are shown, and the note says so (C4). */
export async function listFiles(workspace: Workspace, path: string, signal?: AbortSignal): Promise<FileListing> {
  const { path: own, files, notes } = await walk(workspace, path, { signal })
  const prefix = own === '.' ? '' : `${own}/`
  const most = workspace.limits.listed
  const paths = files.map((file) => file.path)
  const counts = new Map<string, number>()
  for (const file of paths) {
    const end = file.indexOf('/', prefix.length)
    if (end !== -1) counts.set(file.slice(0, end), (counts.get(file.slice(0, end)) ?? 0) + 1)
  }
  const shown = paths.length > most ? nearest(paths, most) : paths
  const all = paths.length > most ? [`Shows ${most} of ${paths.length} files. List a sub-folder to see the rest of it.`, ...notes] : notes
  return {
    path: own,
    total: paths.length,
    files: shown,
    folders: [...counts].map(([folder, count]) => ({ path: folder, files: count })),
    ...(all.length > 0 ? { notes: all } : {}),
  }
}

function nearest(paths: readonly string[], count: number): string[] {
  const depth = (path: string) => path.split('/').length
  const kept = new Set([...paths].sort((a, b) => depth(a) - depth(b)).slice(0, count))
  return paths.filter((path) => kept.has(path))
}
