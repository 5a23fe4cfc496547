/** A way back for the result, for agents that misuse theirs: a server with one tool, on which nothing is wrong. */
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { waitAtMost } from '../../../../src/providers/acp/stage-timer.ts'
import type { OpenStructuredChannel } from '../../../../src/providers/acp/structured-channel.ts'
import { deferred } from '../../../../src/run/deferred.ts'
import type { Json } from '../../../../src/index.ts'

/** How long a prompt waits for an agent to look at the tools. */
export const listedMs = 5000

export const openCallback: OpenStructuredChannel = async ({ runId, schema, clock }) => {
  const authorization = `Bearer ${runId}`
  const listed = deferred<void>()
  let given: { readonly value: Json } | undefined
  const answers: { readonly [method: string]: (params: { arguments?: Json }) => unknown } = {
    initialize: () => ({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'result', version: '1' } }),
    'tools/list': () => {
      listed.resolve()
      return { tools: [{ name: 'submit_result', inputSchema: schema }] }
    },
    'tools/call': (params) => {
      given ??= { value: params.arguments! }
      return { content: [{ type: 'text', text: 'taken' }] }
    },
  }
  const server = createServer((request, response) => {
    void read(request).then(({ id, method, params }) => {
      if (request.headers.authorization !== authorization) return response.writeHead(401).end()
      response.setHeader('content-type', 'application/json')
      return response.end(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method]!(params) }))
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    mcpServers: [
      { type: 'http', name: 'result', url: `http://127.0.0.1:${port}/mcp`, headers: [{ name: 'Authorization', value: authorization }] },
    ],
    listed: waitAtMost(clock, listedMs, listed.promise),
    isOwnTool: () => false,
    result: () => given ?? { missing: 'it did not call submit_result.' },
    close: () => {
      listed.resolve()
      return new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}

async function read(request: IncomingMessage): Promise<any> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return JSON.parse(text)
}
