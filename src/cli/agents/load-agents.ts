/** `--agents DIR`: the definitions of a folder, as agents that have the tools of the command. Contract: C3, T14. */
import { SubagentError } from '../../errors.ts'
import { loadAgentDefinitions, type SubagentToolAgent } from '../../tools/index.ts'
import { UsageError } from '../usage-error.ts'
import type { ProviderName } from '../via.ts'
import { toolNames } from '../workspace/tool-names.ts'
import type { AgentsFolder } from './agents-folder.ts'

export interface LoadedAgents {
  readonly agents: readonly SubagentToolAgent[]
  /** What was left out of them, each with file and line. */
  readonly warnings: readonly string[]
}

/**
 * @param models what `model` in a file may be @default none: the model of the run, with a warning
 * @throws UsageError with all that is wrong with the folder
 */
export async function loadAgents(
  { typed, path }: AgentsFolder,
  provider: ProviderName,
  models: Readonly<Record<string, string | object>> = {},
): Promise<LoadedAgents> {
  const warnings: string[] = []
  /** Messages name files as the folder was typed. */
  const asTyped = (message: string) => (path === typed ? message : message.replaceAll(path, typed.replace(/(?<=[^/])\/+$/, '')))
  const logger = { debug: () => {}, error: () => {}, warn: (message: string) => void warnings.push(asTyped(message)) }
  let agents
  try {
    agents = await loadAgentDefinitions(path, { provider, tools: toolNames, models, logger })
  } catch (error) {
    if (!SubagentError.is(error, 'INVALID_REQUEST')) throw error
    throw new UsageError([...warnings.map((warning) => `warning: ${warning}`), asTyped(error.message)].join('\n'), { cause: error })
  }
  if (agents.length > 0) return { agents, warnings }
  throw new UsageError(
    [
      ...warnings.map((warning) => `warning: ${warning}`),
      `There is no agent definition in ${typed}: a file NAME.md that begins with front matter, a name and a description between two lines ---.`,
    ].join('\n'),
  )
}
