import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join, sep } from 'node:path'

/**
 * How a person starts this program from where they are: by its name where PATH has it, else through npx. The folders that npx and npm put
 * into PATH are gone again when the program ends.
 */
export function programName(env: Readonly<Record<string, string | undefined>>): string {
  const passing = join(sep, 'node_modules', '.bin')
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder) && !join(folder, '.').endsWith(passing))
  const endings = process.platform === 'win32' ? ['.cmd', '.exe'] : ['']
  const found = folders.some((folder) => endings.some((ending) => isProgram(join(folder, `subagents${ending}`))))
  return found ? 'subagents' : 'npx subagents'
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
