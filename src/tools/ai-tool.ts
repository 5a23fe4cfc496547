/**
 * The subagent tool as a tool of the AI SDK (T1, T15). Types of `ai` only: the schema goes in as a Standard Schema, so that this
 * entry loads without it.
 */
import type { Tool } from 'ai'
import { uncheckedSchema } from '../structured/tool-schema.ts'
import type { ContentBlock, ParentAgent } from '../types.ts'
import type { Binding } from './binding.ts'
import { readOrder } from './call.ts'
import type { SubagentToolCall } from './call.ts'
import { bindOne, createDefinition, withDispose } from './define.ts'
import type { SubagentToolDefinition } from './define.ts'
import { follow } from './delegation.ts'
import type { SubagentToolInput } from './input.ts'
import { toModelOutput } from './model-output.ts'
import type { SubagentToolOptions } from './options.ts'
import { textOf } from './outcome.ts'
import type { SubagentToolResult } from './outcome.ts'
import type { SubagentProgress } from './progress/snapshot.ts'

/**
 * The child's text; its blocks, where they are not all text; the object as plain JSON, where an `outputSchema` was configured.
 * Before that, as preliminary results, how far the child is.
 */
export type SubagentToolOutput = string | readonly ContentBlock[] | object | SubagentProgress

/**
 * A subagent tool for the AI SDK: put it among the tools of `createAgents()`, `streamText()`, or any loop on top of it. A
 * failure is thrown, which is how the AI SDK makes an error result of it; the message is the text for the model. Where the
 * call itself was aborted, what is thrown is an AbortError.
 *
 * While the child works the tool yields {@link SubagentProgress} as preliminary results, which the AI SDK hands to a user
 * interface and not to the model (T15); `progress: false` makes it answer once. Agents of `createAgents()` show them to nobody, so
 * for them they are left out unless `progress` asks for them.
 *
 * The parent is the agent whose turn makes the call; in a loop that is not of this package, `parent` (T4). The name is taken on
 * the service until the tool is disposed (`tool[Symbol.dispose]()`) or garbage, as {@link defineSubagentTool} says (T9). For runs in the background, and for a tool that goes when its provider goes:
 * {@link subagentTools}.
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
export function subagentTool(options: SubagentToolOptions): Tool<SubagentToolInput, SubagentToolOutput> & Disposable {
  const { binding, release } = bindOne(options)
  return withDispose(createAiTool(binding), release)
}

export function createAiTool(binding: Binding): Tool<SubagentToolInput, SubagentToolOutput> {
  const definition = createDefinition(binding)
  const { progress } = binding
  if (!progress) return aiToolOf(definition)
  const stream = async function* (input: SubagentToolInput, call: SubagentToolCall, left: AbortSignal): AsyncGenerator<SubagentToolOutput> {
    const order = readOrder(binding, input, call)
    if ('isError' in order) yield outputOf(order, call)
    else if (order.input.run_in_background) yield outputOf(await definition.execute(input, call), call)
    else {
      const answer = yield* follow(binding, order, call, progress.intervalMs, left)
      if (!left.aborted) yield outputOf(answer, call)
    }
  }
  const once = executeOf(definition)
  return aiToolOf(definition, (input, options) => {
    const call = callOf(options)
    // Agents of this package show nobody what their tools yield before the answer, and it has its price.
    return call.agent && !progress.isAsked ? once(input, options) : endedByReturn((left) => stream(input, call, left))
  })
}

/**
 * An iterator whose `return()` is heard at once: a generator takes it up after the value it is asked for, and a child that is
 * silent gives none. It resolves once the run is released, and so does a `next()` that waits.
 */
function endedByReturn<Value>(generate: (left: AbortSignal) => AsyncGenerator<Value>): AsyncIterableIterator<Value> {
  const left = new AbortController()
  const generator = generate(left.signal)
  return {
    next: () => generator.next(),
    return: () => {
      left.abort()
      return generator.return(undefined)
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/** Any tool of this package, as one of the AI SDK that answers once. */
export function aiToolOf<Input>(
  definition: SubagentToolDefinition,
  execute: Execute<Input> = executeOf(definition),
): Tool<Input, SubagentToolOutput> {
  return {
    get description() {
      return definition.description
    },
    inputSchema: uncheckedSchema<Input>(() => definition.inputSchema),
    execute,
    toModelOutput: ({ output }) => toModelOutput(output),
  }
}

type Execute<Input> = (input: Input, options: CallOptions) => AsyncIterable<SubagentToolOutput> | Promise<SubagentToolOutput>

function executeOf(definition: SubagentToolDefinition) {
  return async (input: unknown, options: CallOptions): Promise<SubagentToolOutput> => {
    const call = callOf(options)
    return outputOf(await definition.execute(input, call), call)
  }
}

type CallOptions = Parameters<NonNullable<Tool['execute']>>[1] & { readonly agent?: ParentAgent }

const callOf = ({ toolCallId, abortSignal, agent }: CallOptions): SubagentToolCall => ({
  toolCallId,
  ...(abortSignal && { abortSignal }),
  ...(agent && { agent }),
})

/** @throws the error result, as an error */
function outputOf({ isError, content, structured }: SubagentToolResult, { abortSignal }: SubagentToolCall): SubagentToolOutput {
  if (isError) throw abortSignal?.aborted ? new DOMException(textOf(content), 'AbortError') : errorSaying(textOf(content))
  if (structured) return structured
  return content.every((block) => block.type === 'text') ? textOf(content) : content
}

/** An error whose text is its message: version 6 of the AI SDK tells a model the message, version 7 the error as a string. */
function errorSaying(message: string): Error {
  return Object.defineProperty(new Error(message), 'toString', { value: () => message })
}
