/** The subagent tool as a plain record, for frameworks other than the AI SDK (T1). Needs no `ai`. */
import type { JsonSchema } from '../types.ts'
import { finishCall, startCall } from './call.ts'
import type { SubagentToolCall } from './call.ts'
import { inputSchema } from './input.ts'
import { checkOptions, defaultToolName } from './options.ts'
import type { SubagentToolOptions } from './options.ts'
import type { SubagentToolResult } from './outcome.ts'
import { toolWording } from './wording.ts'

export interface SubagentToolDefinition {
  readonly name: string
  /** Read anew each time: it follows the provider that is registered then (T3). */
  readonly description: string
  /** JSON Schema of the input; follows the provider as the description does. */
  readonly inputSchema: JsonSchema
  /**
   * Delegates once; the run is started, awaited and disposed. Safe to call in parallel.
   *
   * Contract: never rejects; whatever goes wrong is a result with `isError`, whose text is for the model.
   */
  execute(input: unknown, call?: SubagentToolCall): Promise<SubagentToolResult>
}

/**
 * A subagent tool for any framework that takes a name, a description, a JSON Schema and a function.
 *
 * @throws SubagentError INVALID_REQUEST naming the option; where `maxDepth` is asked for, NO_PROVIDER if the provider is
 * not registered yet, UNSUPPORTED_CAPABILITY if it cannot limit depth (T13)
 *
 * @example
 * ```ts
 * const tool = defineSubagentTool({ service, provider: 'spawn', parent: rootAgent({ cwd: process.cwd() }) })
 * const { isError, content } = await tool.execute({ description: 'Count TODOs', prompt: 'How many TODOs are in src/?' })
 * ```
 */
export function defineSubagentTool(options: SubagentToolOptions): SubagentToolDefinition {
  checkOptions(options)
  const { service, provider, toolName = defaultToolName, description } = options
  const inherits = (): boolean => service.getProvider(provider)?.inheritsParentContext === true
  return {
    name: toolName,
    get description() {
      return toolWording(inherits(), description)
    },
    get inputSchema() {
      return inputSchema(inherits())
    },
    async execute(input, call = {}) {
      const started = startCall(options, input, call)
      return 'isError' in started ? started : finishCall(started, options)
    },
  }
}
