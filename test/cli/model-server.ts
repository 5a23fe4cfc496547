import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A request to the server, as far as tests look at it. */
export interface ModelRequest {
  readonly authorization: string | undefined
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly content?: unknown; readonly tool_call_id?: string }[]
  readonly tools: readonly string[]
}

/** What the server answers. */
export interface ModelReply {
  readonly text?: string
  readonly calls?: readonly { readonly name: string; readonly input: object }[]
  /** An HTTP error with this body, in place of an answer. */
  readonly status?: number
  readonly body?: string
  /** When the client may try again. @default not said */
  readonly retryAfterMs?: number
  /** After the text: keep the line open and say nothing more, or cut it. */
  readonly ending?: 'hang' | 'drop'
}

export interface ModelServer {
  /** For --base-url. */
  readonly url: string
  readonly requests: readonly ModelRequest[]
  /** Connections that are open now. */
  connections(): Promise<number>
}

/** A server on loopback that speaks OpenAI's streaming chat completions and answers as `reply` says; closed when the test has finished. */
export async function modelServer(reply: (request: ModelRequest) => ModelReply): Promise<ModelServer> {
  const requests: ModelRequest[] = []
  const server = createServer((message, response) => {
    let body = ''
    message.on('data', (chunk) => (body += chunk))
    message.on('end', () => {
      const { model, messages, tools = [] } = JSON.parse(body) as { model: string; messages: ModelRequest['messages']; tools?: { function: { name: string } }[] }
      const request = { authorization: message.headers.authorization, model, messages, tools: tools.map((tool) => tool.function.name) }
      requests.push(request)
      send(response, reply(request), requests.length)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    connections: () => new Promise((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count)))),
  }
}

function send(response: ServerResponse, { text, calls = [], status, body, retryAfterMs, ending }: ModelReply, number: number): void {
  if (status !== undefined) {
    response.writeHead(status, { 'content-type': 'application/json', ...(retryAfterMs !== undefined && { 'retry-after-ms': String(retryAfterMs) }) }).end(body ?? JSON.stringify({ error: { message: `error ${status}` } }))
    return
  }
  const chunk = (delta: object, finish: string | null = null, rest: object = {}) =>
    response.write(`data: ${JSON.stringify({ id: `answer-${number}`, object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }], ...rest })}\n\n`)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  chunk({ role: 'assistant', content: '' })
  if (text !== undefined) chunk({ content: text })
  if (ending === 'hang') return
  if (ending === 'drop') {
    setImmediate(() => response.destroy())
    return
  }
  for (const [index, { name, input }] of calls.entries()) {
    chunk({ tool_calls: [{ index, id: `call-${number}-${index}`, type: 'function', function: { name, arguments: JSON.stringify(input) } }] })
  }
  chunk({}, calls.length > 0 ? 'tool_calls' : 'stop', { usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 } })
  response.end('data: [DONE]\n\n')
}
