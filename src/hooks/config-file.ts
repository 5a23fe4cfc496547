/** The file of hooks: read at once, so that the hooks are there for the very next run. */
import { readFileSync, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { describeThrown } from '../run/contain.ts'

const mostBytes = 4 * 1024 * 1024

/** @returns undefined where it cannot be read or is no JSON, which was told (H1) */
export function readConfigFile(path: string, warn: (text: string) => void): { readonly settings: unknown } | undefined {
  try {
    const stats = statSync(path)
    // Of a pipe a read would wait for a writer.
    if (!stats.isFile()) throw new Error('it is no file')
    if (stats.size > mostBytes) throw new Error(`it has more than ${mostBytes / 1024 / 1024} MiB`)
    const text = readFileSync(path, 'utf8')
    try {
      return { settings: JSON.parse(text.replace(/^\ufeff/, '')) }
    } catch {
      // The parser's own message quotes the text, in which there may be tokens.
      throw new Error('it is not JSON; comments and trailing commas are not allowed there')
    }
  } catch (thrown) {
    const { code } = thrown as { code?: unknown }
    const why = typeof code === 'string' ? code : describeThrown(thrown).replace(/^Error: /, '')
    warn(`the file cannot be used (${why}): there are no hooks.`)
    return undefined
  }
}

/** The project whose settings the file is: the folder that has the `.claude` it is in. */
export function projectOf(path: string): string | undefined {
  const folder = dirname(resolve(path))
  return basename(folder) === '.claude' ? dirname(folder) : undefined
}
