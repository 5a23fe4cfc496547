import { onTestFinished } from 'vitest'
import { answeringServer, type Answer } from '../fixtures/openai-server.ts'

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
  /** Answers that are under way now. */
  answering(): number
}

/** What every answer that comes to its end says of its tokens. */
export const usageOfAnAnswer = { inputTokens: 11, outputTokens: 7, totalTokens: 18 }

/** A model on loopback that answers as `reply` says; closed when the test has finished. */
export async function modelServer(reply: (request: ModelRequest) => ModelReply): Promise<ModelServer> {
  const requests: ModelRequest[] = []
  let answering = 0
  const server = await answeringServer(({ headers, body, closed }) => {
    const {
      model,
      messages,
      tools = [],
    } = body as { model: string; messages: ModelRequest['messages']; tools?: { function: { name: string } }[] }
    const request = {
      authorization: headers['authorization'] as string | undefined,
      model,
      messages,
      tools: tools.map((tool) => tool.function.name),
    }
    requests.push(request)
    answering++
    void closed.then(() => answering--)
    return answerFor(reply(request), requests.length)
  })
  onTestFinished(() => server.close())
  return { url: server.baseURL, requests, answering: () => answering }
}

function answerFor({ text, calls = [], status, body, retryAfterMs, ending }: ModelReply, number: number): Answer {
  if (status !== undefined) {
    return {
      status,
      message: `error ${status}`,
      ...(body !== undefined && { body }),
      ...(retryAfterMs !== undefined && { headers: { 'retry-after-ms': String(retryAfterMs) } }),
    }
  }
  const words = text === undefined ? [] : [{ text }]
  if (ending === 'hang') return { stream: [...words, new Promise(() => {})] }
  if (ending === 'drop') return { drop: words }
  const toolCalls = calls.map(({ name, input }, index) => ({ id: `call-${number}-${index}`, name, arguments: JSON.stringify(input) }))
  return { stream: [...words, ...(toolCalls.length > 0 ? [{ toolCalls }] : []), { finish: toolCalls.length > 0 ? 'tool_calls' : 'stop' }] }
}
