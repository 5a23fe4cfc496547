/**
 * The tool by which the result comes, as agents name it where they ask for a permission (A14). Only names that are known whole
 * count: a title that has the name somewhere in it may be of a command that has.
 */
import { structuredOutputTool } from '../../../structured/wording.ts'
import { text } from '../protocol.ts'

/** The name that the server has in `session/new`; agents put it before the names of its tools. */
export const serverName = 'result'

const names = new Set([
  structuredOutputTool,
  ...['_', '__', '-', '.', '/', ':'].map((between) => `${serverName}${between}${structuredOutputTool}`),
  `mcp__${serverName}__${structuredOutputTool}`,
  `mcp_${serverName}_${structuredOutputTool}`,
  `Tool: ${serverName}/${structuredOutputTool}`,
  `${structuredOutputTool} (${serverName} MCP Server)`,
])
/** What a call of that tool is not, whatever it is called. */
const otherKinds = new Set(['edit', 'delete', 'move', 'execute'])

type ToolCall = { readonly [field: string]: unknown }

export class OwnToolCalls {
  /** Calls that were told of before, as some agents ask by the id alone. */
  readonly #ids = new Set<string>()

  notice({ sessionUpdate, ...toolCall }: ToolCall): void {
    const id = text(toolCall.toolCallId)
    if (sessionUpdate === 'tool_call' && id !== undefined && isNamed(toolCall)) this.#ids.add(id)
  }

  has(toolCall: ToolCall): boolean {
    if (text(toolCall.name) !== undefined || text(toolCall.title) !== undefined) return isNamed(toolCall)
    return !isOther(toolCall) && this.#ids.has(text(toolCall.toolCallId) ?? '')
  }
}

function isNamed(toolCall: ToolCall): boolean {
  return !isOther(toolCall) && names.has(text(toolCall.name) ?? text(toolCall.title) ?? '')
}

const isOther = ({ kind }: ToolCall): boolean => otherKinds.has(text(kind) ?? '')
