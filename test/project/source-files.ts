/** The project's own files, as checks read them. Paths are relative to the root, with forward slashes. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

export const readProjectFile = (path: string): string => readFileSync(`${root}/${path}`, 'utf8')

export function listProjectFiles(folder: string, suffix: string): string[] {
  return readdirSync(`${root}/${folder}`, { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith(suffix))
    .toSorted()
}
