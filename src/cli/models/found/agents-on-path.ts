/** Agents that are installed as programs and have a login of their own (C3). Looked for, never run. */
import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import { knownAgents } from '../../../providers/acp/index.ts'
import type { Environment } from '../vendors.ts'

export interface FoundAgent {
  readonly name: string
  /** Where PATH leads to. */
  readonly path: string
  /** The program that `--via` needs in place of this one, which is not in PATH. */
  readonly needs?: string
}

/** Agents whose own program speaks no ACP that is known here. */
const others = ['cursor-agent']

/** Those whose program is in a folder of PATH: first those that can be used. Never rejects. */
export async function findAgents(env: Environment): Promise<FoundAgent[]> {
  const known = await Promise.all(
    Object.entries(knownAgents).map(async ([name, { command }]): Promise<FoundAgent | undefined> => {
      const path = await findProgram(command, env)
      if (path !== undefined) return { name, path }
      const own = await findProgram(name, env)
      return own === undefined ? undefined : { name, path: own, needs: command }
    }),
  )
  const unknown = await Promise.all(
    others.map(async (name): Promise<FoundAgent | undefined> => {
      const path = await findProgram(name, env)
      return path === undefined ? undefined : { name, path, needs: 'a program that speaks ACP' }
    }),
  )
  const found = [...known, ...unknown].filter((agent) => agent !== undefined)
  return found.sort((a, b) => Number(a.needs !== undefined) - Number(b.needs !== undefined))
}

/**
 * Where a program is: a path as it is, a name in a folder of PATH. Relative folders are left out: they change with the place.
 * Never rejects.
 */
export async function findProgram(program: string, env: Environment): Promise<string | undefined> {
  if (/[/\\]/.test(program)) return (await isProgram(program)) ? program : undefined
  const folders = [...new Set((env['PATH'] ?? '').split(delimiter).filter(isAbsolute))]
  const endings = process.platform === 'win32' ? ['.cmd', '.exe'] : ['']
  for (const folder of folders) {
    for (const ending of endings) {
      const path = join(folder, program + ending)
      if (await isProgram(path)) return path
    }
  }
  return undefined
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}
