/**
 * What the server of the result knows of the Model Context Protocol: one tool, and what a client needs to get to it. Pure but
 * for the tool itself.
 */
import type { JsonSchema } from '../../../types.ts'
import { structuredOutputTool, toolDescription } from '../../../structured/wording.ts'
import { fields, isObject, text } from '../protocol.ts'
import type { Answer } from './result-desk.ts'

/** Versions whose tools look the same; a client that asks for another is offered the last. */
const versions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']

export interface ResultTool {
  readonly schema: JsonSchema
  /** The child has seen the tool. */
  onListed(): void
  give(value: unknown): Promise<Answer>
}

type Reply = { readonly jsonrpc: '2.0'; readonly id: unknown } & ({ readonly result: unknown } | { readonly error: object })

/** @param message a parsed body @returns undefined for what asks for no reply */
export async function answerMessage(message: unknown, tool: ResultTool): Promise<Reply | undefined> {
  if (!isObject(message) || message.jsonrpc !== '2.0') return { jsonrpc: '2.0', id: null, error: failed(-32_600, 'Invalid request') }
  const { id, method, params } = message
  if (id === undefined || method === undefined) return undefined
  return { jsonrpc: '2.0', id, ...(await answer(method, fields(params), tool)) }
}

async function answer(
  method: unknown,
  params: ReturnType<typeof fields>,
  tool: ResultTool,
): Promise<{ result: unknown } | { error: object }> {
  switch (method) {
    case 'initialize': {
      const asked = text(params.protocolVersion)
      const protocolVersion = asked !== undefined && versions.includes(asked) ? asked : versions.at(-1)
      return { result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'xstate-subagents-result', version: '1' } } }
    }
    case 'ping':
      return { result: {} }
    case 'tools/list':
      tool.onListed()
      return { result: { tools: [{ name: structuredOutputTool, description: toolDescription, inputSchema: tool.schema }] } }
    case 'tools/call': {
      if (params.name !== structuredOutputTool) return { error: failed(-32_602, `There is one tool, ${structuredOutputTool}.`) }
      const { text: words, isError } = await tool.give(params.arguments ?? {})
      return { result: { content: [{ type: 'text', text: words }], isError } }
    }
    default:
      // Also `server/discover`: clients of later versions take it as the word to go back to `initialize`.
      return { error: failed(-32_601, 'Method not found') }
  }
}

function failed(code: number, message: string): object {
  return { code, message }
}
