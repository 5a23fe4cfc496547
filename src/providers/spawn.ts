/** Spawn: a fresh child agent in this process, with nothing of its parent's conversation (P3). */
import type { Agents } from '../agents/agents.ts'
import { invalid } from '../run/request.ts'
import type { SubagentProvider } from '../types.ts'
import { inProcessCapabilities, resumeInProcessRun, startInProcessRun } from './in-process.ts'

/** Who makes the children, and the provider's name. */
export interface SpawnProviderOptions {
  /** Makes the children, of `createAgents()`. Its tools and its system prompt are theirs. */
  readonly agents: Agents
  /** @default 'spawn' */
  readonly name?: string
}

/**
 * A provider whose children are fresh agents: own session, the parent's working directory, the parent's model unless
 * `agentOptions.model` says otherwise, else the factory's. The parent's messages and system prompt are not inherited.
 *
 * Capabilities: all. What `start` throws: NO_MODEL, INVALID_REQUEST.
 *
 * @throws SubagentError INVALID_REQUEST
 *
 * @example
 * ```ts
 * const agents = createAgents({ model, tools })
 * const service = createSubagentService({ providers: [spawnProvider({ agents })] })
 * const { output } = await service.delegate('spawn', { parent: rootAgent({ cwd: process.cwd() }), prompt: 'Count the TODOs.' })
 * ```
 */
export function spawnProvider({ agents, name = 'spawn' }: SpawnProviderOptions): SubagentProvider {
  if (typeof agents?.create !== 'function') throw invalid('agents', 'what createAgents() gives', agents)
  if (typeof name !== 'string' || name === '') throw invalid('name', 'a non-empty string', name)
  return {
    name,
    capabilities: inProcessCapabilities,
    inheritsParentContext: false,
    start: (request, context) => startInProcessRun({ agents, request, context }),
    resume: (request, context) => resumeInProcessRun({ agents, request, context }),
  }
}
