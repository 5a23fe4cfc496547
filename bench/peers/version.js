import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The version of the package that an import from here resolves to. */
export function versionOf(name, specifier = name) {
  let folder = dirname(fileURLToPath(import.meta.resolve(specifier)))
  for (;;) {
    const file = join(folder, 'package.json')
    const read = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
    if (read.name === name) return read.version
    if (folder === dirname(folder)) throw new Error(`There is no package.json of ${name} above ${import.meta.resolve(specifier)}.`)
    folder = dirname(folder)
  }
}
