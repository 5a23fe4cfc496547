/**
 * The subagent tool as a tool of the AI SDK (T1). Types of `ai` only: the schema goes in as a Standard Schema, so that this
 * entry loads without it.
 */
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import type { Tool, ToolExecutionOptions } from 'ai'
import type { ContentBlock, ParentAgent } from '../types.ts'
import { defineSubagentTool } from './define.ts'
import type { SubagentToolInput } from './input.ts'
import { toModelOutput } from './model-output.ts'
import type { SubagentToolOptions } from './options.ts'
import { textOf } from './outcome.ts'
import type { SubagentToolResult } from './outcome.ts'

/** The child's text; its blocks, where they are not all text; the object, where an `outputSchema` was configured. */
export type SubagentToolOutput = string | readonly ContentBlock[] | object

/**
 * A subagent tool for the AI SDK, bound to one provider: put it among the tools of `createAgents()`, `streamText()`, or any
 * loop on top of it. A failure is thrown, which is how the AI SDK makes an error result of it; the message is the text for
 * the model. Where the call itself was aborted, what is thrown is an AbortError.
 *
 * The parent is the agent whose turn makes the call; in a loop that is not of this package, `parent` (T4).
 *
 * @throws SubagentError as {@link defineSubagentTool} does
 *
 * @example
 * ```ts
 * const agents = createAgents({ model, tools: () => ({ search, subagent }) })
 * const service = createSubagentService({ providers: [spawnProvider({ agents })] })
 * const subagent = subagentTool({ service, provider: 'spawn' })
 * ```
 */
export function subagentTool(options: SubagentToolOptions): Tool<SubagentToolInput, SubagentToolOutput> {
  const definition = defineSubagentTool(options)
  return {
    get description() {
      return definition.description
    },
    inputSchema: standardSchema(() => definition.inputSchema),
    async execute(input, { abortSignal, toolCallId, agent }: ToolExecutionOptions & { agent?: ParentAgent }) {
      const result = await definition.execute(input, { toolCallId, ...(abortSignal && { abortSignal }), ...(agent && { agent }) })
      if (!result.isError) return toOutput(result)
      throw abortSignal?.aborted ? new DOMException(textOf(result.content), 'AbortError') : new Error(textOf(result.content))
    },
    toModelOutput: ({ output }) => toModelOutput(output),
  }
}

function toOutput({ content, structured }: SubagentToolResult): SubagentToolOutput {
  if (typeof structured === 'object' && structured !== null) return structured
  return content.every((block) => block.type === 'text') ? textOf(content) : content
}

type InputSchema = StandardSchemaV1<unknown, SubagentToolInput> & StandardJSONSchemaV1<unknown, SubagentToolInput>

/** Passes every input: what is wrong with one is said by the call itself, in words for the model. */
function standardSchema(jsonSchema: () => object): InputSchema {
  // A copy of its own each time: the AI SDK writes into what it gets.
  const give = (): Record<string, unknown> => ({ ...jsonSchema() })
  return {
    '~standard': {
      version: 1,
      vendor: 'xstate-subagents',
      validate: (value) => ({ value: value as SubagentToolInput }),
      jsonSchema: { input: give, output: give },
    },
  }
}
