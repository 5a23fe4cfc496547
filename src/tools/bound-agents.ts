/** The children of a tool, with what is configured of their requests (T1, T14). */
import { filterLists } from '../run/request.ts'
import type { SubagentStartRequest } from '../types.ts'
import type { SubagentToolOptions } from './options.ts'

/** Children of one kind. */
export interface BoundAgent {
  /** Absent where the tool has no list. */
  readonly name?: string
  readonly provider: string
  readonly description?: string
  /** What is configured of its requests. */
  readonly request: Omit<SubagentStartRequest, 'prompt' | 'parent'>
}

/** The children that a tool's options name; one without a list. */
export function boundAgents(options: SubagentToolOptions): readonly BoundAgent[] {
  const { agents, provider, agentOptions } = options
  const request = configured(options)
  if (!agents) return [{ provider: provider!, request }]
  // Copied: a list that is changed later changes nothing.
  return agents.map(({ name, provider: own, description, persona, toolFilter, model }) => ({
    name,
    provider: own,
    description: description.trim(),
    request: {
      ...request,
      ...(persona !== undefined && { persona }),
      ...(toolFilter !== undefined && { toolFilter: filterLists(toolFilter, 'toolFilter') }),
      ...(model !== undefined && { agentOptions: { ...agentOptions, model } }),
    },
  }))
}

function configured({ agentOptions, outputSchema, toolFilter, persona, timeoutMs, cancelGraceMs, releaseGraceMs }: SubagentToolOptions) {
  return {
    ...(agentOptions && { agentOptions: { ...agentOptions } }),
    ...(outputSchema !== undefined && { outputSchema }),
    ...(toolFilter && { toolFilter: filterLists(toolFilter, 'toolFilter') }),
    ...(persona !== undefined && { persona }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(cancelGraceMs !== undefined && { cancelGraceMs }),
    ...(releaseGraceMs !== undefined && { releaseGraceMs }),
  }
}
