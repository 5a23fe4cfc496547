/** The tool that delegates, whose runs are shown with the agent's name before what they do. Contract: C5. */
import type { ToolSet } from 'ai'

type DelegationTool = ToolSet[string]

export function withNamedRuns(tool: DelegationTool): DelegationTool {
  const { execute } = tool
  return {
    ...tool,
    execute: (input: unknown, options) => execute?.(labelled(input) as never, options),
  } as DelegationTool
}

/** An input without a choice is another matter of the tool, which says so. */
function labelled(input: unknown): unknown {
  if (typeof input !== 'object' || input === null) return input
  const { agent, description } = input as Readonly<Record<string, unknown>>
  if (typeof agent !== 'string' || typeof description !== 'string' || description.trim() === '') return input
  return { ...input, description: `${agent}: ${description}` }
}
