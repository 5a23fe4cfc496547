/** The part of an AI SDK prompt that the script goes by: the last task, and what came of the tool calls since. Contract: C2. */
import type { ModelCall, ModelPrompt } from './language-model.ts'
import { isRecord, stringsIn } from './tool-value.ts'

export interface Conversation {
  /** Text of the last user message. */
  readonly task: string
  /** In the order in which they were made; only those that have a result. */
  readonly calls: readonly ToolCall[]
  /** Names of the tools that the agent has; `undefined` where the call says nothing of tools. */
  readonly tools: readonly string[] | undefined
  /** Names that the tool which delegates lets choose from; none where it has no choice. */
  readonly agents: readonly string[]
  /** Number of all tool calls in the prompt, for ids that do not repeat. */
  readonly callCount: number
}

export interface ToolCall {
  readonly name: string
  readonly input: unknown
  /** `value` is what the tool gave; `error` is its message. */
  readonly outcome: { readonly value: unknown } | { readonly error: string }
}

export function readConversation({ prompt, tools }: Pick<ModelCall, 'prompt' | 'tools'>): Conversation {
  const start = prompt.findLastIndex((message) => message.role === 'user')
  const last = prompt[start]
  const task = last?.role === 'user' ? last.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n') : ''
  const outcomes = new Map<string, ToolCall['outcome']>()
  const made: { id: string; name: string; input: unknown; current: boolean }[] = []
  for (const [index, message] of prompt.entries()) {
    if (message.role === 'assistant') {
      for (const part of message.content) {
        if (part.type === 'tool-call') made.push({ id: part.toolCallId, name: part.toolName, input: part.input, current: index > start })
        if (part.type === 'tool-result') outcomes.set(part.toolCallId, outcomeOf(part.output))
      }
    } else if (message.role === 'tool') {
      for (const part of message.content) if (part.type === 'tool-result') outcomes.set(part.toolCallId, outcomeOf(part.output))
    }
  }
  const calls = made.flatMap(({ id, name, input, current }) => {
    const outcome = outcomes.get(id)
    return current && outcome ? [{ name, input, outcome }] : []
  })
  return { task, calls, tools: tools?.map(({ name }) => name), agents: agentsIn(tools), callCount: made.length }
}

/** As a model sees them: the values that the tool's schema allows for `agent`. */
function agentsIn(tools: ModelCall['tools']): string[] {
  const tool = tools?.find(({ name }) => name === 'subagent')
  const properties = tool?.type === 'function' ? tool.inputSchema.properties : undefined
  const agent: unknown = properties?.['agent']
  return isRecord(agent) ? stringsIn(agent, 'enum') : []
}

type ToolMessage = Extract<ModelPrompt[number], { role: 'tool' }>
type ResultOutput = Extract<ToolMessage['content'][number], { type: 'tool-result' }>['output']

function outcomeOf(output: ResultOutput): ToolCall['outcome'] {
  switch (output.type) {
    case 'text':
    case 'json':
      return { value: output.value }
    case 'content':
      return { value: output.value.map((part) => (part.type === 'text' ? part.text : '')).join('\n') }
    case 'error-text':
      return { error: output.value }
    case 'error-json':
      return { error: typeof output.value === 'string' ? output.value : JSON.stringify(output.value) }
    case 'execution-denied':
      return { error: output.reason ?? 'The call was denied.' }
  }
}
