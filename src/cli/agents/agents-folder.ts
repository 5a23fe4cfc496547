import { resolve } from 'node:path'
import { UsageError } from '../usage-error.ts'

/** A folder as it was typed, and where it is. */
export interface AgentsFolder {
  readonly typed: string
  /** Absolute. */
  readonly path: string
}

/** What `flag` says, or the argument of a command. @throws UsageError where it is empty */
export function agentsFolder(typed: string, what: string, cwd: string): AgentsFolder {
  if (typed.trim() === '') throw new UsageError(`${what} is empty. Give a folder with agent definitions, such as .claude/agents.`)
  return { typed, path: resolve(cwd, typed) }
}
