import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { UsageError } from '../usage-error.ts'

/** A file of hooks as it was typed, and where it is. */
export interface HooksFile {
  readonly typed: string
  /** Absolute. */
  readonly path: string
}

/** What `--hooks` says. @throws UsageError where it is empty */
export function hooksFile(typed: string, cwd: string): HooksFile {
  if (typed.trim() === '') throw new UsageError('--hooks is empty. Give a file with hooks, such as .claude/settings.json.')
  return { typed, path: resolve(cwd, typed) }
}

/** What is in it is another matter, of which there are warnings. @throws UsageError where there is no such file */
export function checkHooksFile({ typed, path }: HooksFile): void {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats?.isFile()) return
  const why = stats?.isDirectory() ? 'is a folder. Give the file in it, such as settings.json.' : 'does not exist. Give a file that does.'
  throw new UsageError(`--hooks: ${typed} ${why}`)
}
