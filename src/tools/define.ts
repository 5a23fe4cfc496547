/** The subagent tool as a plain record, for frameworks other than the AI SDK (T1). Needs no `ai`. */
import { SubagentError } from '../errors.ts'
import type { JsonSchema } from '../types.ts'
import { startInBackground } from './background/start.ts'
import { bind } from './binding.ts'
import type { Binding } from './binding.ts'
import { readOrder } from './call.ts'
import type { SubagentToolCall } from './call.ts'
import { answer, answerWithProgress } from './delegation.ts'
import { inputSchema } from './input.ts'
import { claimNames, releaseWithHolder } from './names.ts'
import type { NameRelease } from './names.ts'
import { defaultProgressIntervalMs } from './options.ts'
import type { SubagentToolOptions } from './options.ts'
import type { SubagentToolResult } from './outcome.ts'
import { toolWording } from './wording.ts'

/** The tool as a plain record, for a host that is not the AI SDK. Nothing has to be disposed. */
export interface SubagentToolDefinition {
  /** Of `toolName`; what the model calls it by. */
  readonly name: string
  /** Read anew each time: it follows the providers that are registered then (T3). */
  readonly description: string
  /** JSON Schema of the input; follows the providers as the description does. */
  readonly inputSchema: JsonSchema
  /**
   * Delegates once; the run is started, awaited and disposed. Safe to call in parallel.
   *
   * Contract: never rejects; whatever goes wrong is a result with `isError`, whose text is for the model.
   */
  execute(input: unknown, call?: SubagentToolCall): Promise<SubagentToolResult>
}

/**
 * A subagent tool for any framework that takes a name, a description, a JSON Schema and a function. Its name is taken on the
 * service until the tool is disposed or garbage (T9): for another tool, which is one that differs in what a model sees or what
 * decides what runs, and whose parent is the same or not given. A tool that is disposed still answers. One that comes and goes with its provider, and has controls for runs in the
 * background, is {@link mountSubagentTool}.
 *
 * @throws SubagentError INVALID_REQUEST naming the option, or the tool that has the name; UNSUPPORTED_CAPABILITY where a
 * provider that is registered cannot honour what is configured; where `maxDepth` is asked for, NO_PROVIDER if one is not
 * registered yet (T13)
 *
 * @example
 * ```ts
 * const tool = defineSubagentTool({ service, provider: 'spawn', parent: rootAgent({ cwd: process.cwd() }) })
 * const { isError, content } = await tool.execute({ description: 'Count TODOs', prompt: 'How many TODOs are in src/?' })
 * ```
 */
export function defineSubagentTool(options: SubagentToolOptions): SubagentToolDefinition & Disposable {
  const { binding, release } = bindOne(options)
  return withDispose(createDefinition(binding), release)
}

/** Not enumerable: a framework that copies or prints a tool sees what it had before. */
export function withDispose<Tool extends object>(tool: Tool, release: NameRelease): Tool & Disposable {
  return Object.defineProperty(tool, Symbol.dispose, { value: release }) as Tool & Disposable
}

/**
 * A tool that stands alone, its name held until it is released, or as long as it is reachable.
 * @throws SubagentError as {@link defineSubagentTool} does
 */
export function bindOne(options: SubagentToolOptions): { readonly binding: Binding; readonly release: NameRelease } {
  const binding = bind(options)
  if (binding.background)
    throw new SubagentError(
      'INVALID_REQUEST',
      'background needs the controls beside the tool, and this makes the tool alone. Use subagentTools() of the AI SDK, or mountSubagentTool().',
    )
  const release = claimNames(binding, [binding.toolName])
  releaseWithHolder(binding, release)
  return { binding, release }
}

export function createDefinition(binding: Binding): SubagentToolDefinition {
  return {
    name: binding.toolName,
    get description() {
      return toolWording(binding)
    },
    get inputSchema() {
      return inputSchema(binding)
    },
    async execute(input, call = {}) {
      const order = readOrder(binding, input, call)
      if ('isError' in order) return order
      if (order.input.run_in_background) return startInBackground(binding, order, call)
      if (!call.onProgress) return answer(binding, order, call)
      return answerWithProgress(binding, order, call, binding.progress?.intervalMs ?? defaultProgressIntervalMs)
    },
  }
}
