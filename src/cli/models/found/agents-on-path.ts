/** Agents that are installed as programs and have a login of their own (C3). Looked for, never run. */
import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Environment } from '../vendors.ts'

/** By the names of their programs. */
export const knownAgents = ['claude', 'codex', 'gemini', 'opencode', 'qwen', 'copilot', 'cursor-agent', 'goose', 'kimi'] as const

export interface FoundAgent {
  readonly name: string
  /** Where PATH leads to. */
  readonly path: string
}

/** Those whose program is in a folder of PATH, in the order above. Relative folders are left out: they change with the place. Never rejects. */
export async function findAgents(env: Environment): Promise<FoundAgent[]> {
  const folders = [...new Set((env['PATH'] ?? '').split(delimiter).filter(isAbsolute))]
  const endings = process.platform === 'win32' ? ['.cmd', '.exe'] : ['']
  const found = await Promise.all(
    knownAgents.map(async (name) => {
      for (const folder of folders) {
        for (const ending of endings) {
          const path = join(folder, name + ending)
          if (await isProgram(path)) return { name, path }
        }
      }
      return undefined
    }),
  )
  return found.filter((agent) => agent !== undefined)
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}
