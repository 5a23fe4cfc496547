/**
 * A conversation in which tools were used, for an agent that has none: some providers refuse calls and results where no tool is
 * offered, so both are told as text.
 */
import type { AssistantContent, ModelMessage, ToolContent } from 'ai'

type ToolResult = Extract<ToolContent[number], { type: 'tool-result' }>
type Told = { readonly type: 'text'; readonly text: string }

/** A new list of the same messages, in which what was called and what came of it is text. */
export function withoutTools(messages: readonly ModelMessage[]): ModelMessage[] {
  return messages.flatMap((message): ModelMessage[] => {
    if (message.role === 'tool') {
      const content = message.content.flatMap((part) => (part.type === 'tool-result' ? [result(part)] : []))
      return content.length > 0 ? [{ role: 'user', content }] : []
    }
    if (message.role !== 'assistant' || typeof message.content === 'string') return [message]
    const content = message.content.flatMap((part): Exclude<AssistantContent, string> => {
      if (part.type === 'tool-call') return [told(`Called ${part.toolName} with ${JSON.stringify(part.input)}`)]
      if (part.type === 'tool-result') return [result(part)]
      return part.type === 'tool-approval-request' ? [] : [part]
    })
    return [{ ...message, content }]
  })
}

const told = (text: string): Told => ({ type: 'text', text: `[${text}]` })

function result({ toolName, output }: ToolResult): Told {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return told(`${toolName} gave: ${output.value}`)
    case 'json':
    case 'error-json':
      return told(`${toolName} gave: ${JSON.stringify(output.value)}`)
    case 'content':
      return told(`${toolName} gave: ${output.value.map((part) => (part.type === 'text' ? part.text : `<${part.type}>`)).join('\n')}`)
    default:
      return told(`${toolName} was not executed`)
  }
}
