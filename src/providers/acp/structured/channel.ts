/**
 * The structured result of a child that is a process (A14): a server of the Model Context Protocol with the one tool that
 * takes it, for the time of that process, and the text of the child where it calls no tool.
 */
import { randomBytes } from 'node:crypto'
import { execPath } from 'node:process'
import { describeThrown, warn } from '../../../run/contain.ts'
import { deferred } from '../../../run/deferred.ts'
import { callInstruction, structuredOutputTool } from '../../../structured/wording.ts'
import type { JsonSchema } from '../../../types.ts'
import type { McpServer } from '../protocol.ts'
import { waitAtMost } from '../stage-timer.ts'
import type { StructuredChannel, StructuredChannelOptions } from '../structured-channel.ts'
import { openHttpServer } from './http-server.ts'
import type { HttpServer } from './http-server.ts'
import { answerMessage } from './methods.ts'
import { OwnToolCalls, serverName } from './own-tool.ts'
import { relayServer } from './relay.ts'
import { ResultDesk } from './result-desk.ts'

/** How long the first prompt waits for the agent to look at the tool: some connect their servers once the session is open. */
const listWaitMs = 5_000

const called = callInstruction(
  `${structuredOutputTool} of the MCP server ${serverName} (its name may have a prefix, such as mcp__${serverName}__)`,
)

const written = (schema: JsonSchema): string =>
  `When the work is done, end your answer with its result: one JSON object in a block fenced with \`\`\`json, and nothing after it. It has to fit this JSON Schema:\n${JSON.stringify(schema)}`

export async function openStructuredChannel(options: StructuredChannelOptions): Promise<StructuredChannel> {
  const { schema, validator, facts, clock, logger, runId } = options
  const token = randomBytes(32).toString('base64url')
  const desk = new ResultDesk(validator)
  const calls = new OwnToolCalls()
  const seen = deferred<void>()
  let isSeen = false
  const onListed = (): void => {
    isSeen = true
    seen.resolve()
  }
  let server: HttpServer | undefined
  try {
    server = await openHttpServer(token, (body) => answerMessage(body, { schema, onListed, give: (value) => desk.give(value) }))
  } catch (error) {
    warn(logger, `Run ${runId} asks for its structured result as text, since no server can be opened for it: ${describeThrown(error)}`)
    seen.resolve()
  }
  let waiting: Promise<void> | undefined
  return {
    mcpServers: server ? [facts.mcp.http ? httpServer(server.url, token) : relayServer(execPath, server.url, token)] : [],
    get listed() {
      return (waiting ??= waitAtMost(clock, listWaitMs, seen.promise))
    },
    get instruction() {
      return isSeen ? called : written(schema)
    },
    renew: () => desk.renew(),
    notice: (update) => calls.notice(update),
    isOwnTool: (toolCall) => calls.has(toolCall),
    async result(text) {
      const result = await desk.result(text)
      // Agents do not tell that they have not connected.
      return 'missing' in result && server && !isSeen
        ? { missing: `${result.missing} It never asked its MCP server for the tool.` }
        : result
    },
    hide: (text) => text.replaceAll(token, '[token]'),
    async close() {
      // A prompt that still waits for the list waits no more.
      seen.resolve()
      await server?.close()
    },
  }
}

function httpServer(url: string, token: string): McpServer {
  return { type: 'http', name: serverName, url, headers: [{ name: 'Authorization', value: `Bearer ${token}` }] }
}
