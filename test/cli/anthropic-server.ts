import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished, vi } from 'vitest'

/** A request to the server, as far as tests look at it. */
export interface AnthropicRequest {
  readonly key: string | undefined
  readonly model: string
  readonly system: string
  readonly afterTool: boolean
}

export type AnthropicReply = { readonly text: string } | { readonly calls: readonly { readonly name: string; readonly input: object }[] }

/** Stands in for Anthropic's API, on loopback, for the vendor's own package; until the test has finished. */
export async function anthropicServer(reply: (request: AnthropicRequest) => AnthropicReply): Promise<readonly AnthropicRequest[]> {
  const requests: AnthropicRequest[] = []
  const server = createServer((incoming, outgoing) => {
    let body = ''
    incoming.on('data', (chunk: Buffer) => (body += chunk.toString()))
    incoming.on('end', () => {
      const { model, system, messages } = JSON.parse(body) as { model: string; system?: unknown; messages: { content: unknown }[] }
      const afterTool = JSON.stringify(messages.at(-1)?.content).includes('"tool_result"')
      const request = { key: incoming.headers['x-api-key'] as string, model, system: JSON.stringify(system ?? ''), afterTool }
      requests.push(request)
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const event of eventsOf(reply(request), model, requests.length))
        outgoing.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      outgoing.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  vi.stubEnv('ANTHROPIC_BASE_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`)
  onTestFinished(async () => {
    vi.unstubAllEnvs()
    await new Promise((resolve) => server.close(resolve))
  })
  return requests
}

function eventsOf(reply: AnthropicReply, model: string, number: number): { readonly type: string }[] {
  const usage = { input_tokens: 1, output_tokens: 1 }
  const blocks =
    'text' in reply
      ? [{ start: { type: 'text', text: '' }, delta: { type: 'text_delta', text: reply.text } }]
      : reply.calls.map(({ name, input }, index) => ({
          start: { type: 'tool_use', id: `call-${number}-${index}`, name, input: {} },
          delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) },
        }))
  return [
    {
      type: 'message_start',
      message: { id: `m${number}`, type: 'message', role: 'assistant', model, content: [], stop_reason: null, usage },
    },
    ...blocks.flatMap(({ start, delta }, index) => [
      { type: 'content_block_start', index, content_block: start },
      { type: 'content_block_delta', index, delta },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: 'text' in reply ? 'end_turn' : 'tool_use', stop_sequence: null }, usage },
    { type: 'message_stop' },
  ] as { readonly type: string }[]
}
