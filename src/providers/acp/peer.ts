/**
 * The JSON-RPC peer: the one file that knows the SDK (A3).
 *
 * The SDK answers lines that are no messages, writes to the console about responses that it does not expect, and parses
 * updates by a schema before it hands them on in a later turn. So it is given well-formed requests and expected responses
 * only; notifications are delivered from here, at once and in order (A9).
 */
import { client, methods, RequestError } from '@agentclientprotocol/sdk'
import type { JsonRpcMessage } from './framing.ts'
import { createMessageStream } from './message-stream.ts'

/** An error that the agent answered with. */
export class AgentError extends Error {
  override name = 'AgentError'
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

export interface PeerHandlers {
  /** Contract: synchronous; must not throw. */
  onNotification(method: string, params: unknown): void
  /** The agent asks for a permission; `signal` aborts when it takes the question back. Must not reject. */
  onPermission(params: unknown, signal: AbortSignal): Promise<unknown>
  /** Writes one line. Its rejection ends the peer. */
  write(line: string): Promise<void>
  /** The agent has asked more than it may before it reads the answers, or has read enough of them again. */
  onFull(isFull: boolean): void
  /** The peer has ended by itself. */
  onClosed(): void
}

export interface Peer {
  /** @throws AgentError where the agent answers with an error; some other error where the peer ended before */
  request(method: string, params: unknown): Promise<unknown>
  /** Goes out once every question of the agent is answered (A11). What cannot be written any more is dropped. */
  notify(method: string, params: unknown): void
  receive(message: JsonRpcMessage): void
  close(): void
}

interface OutgoingMessage {
  readonly id?: string | number
  readonly method?: string
}

/** How many requests of the agent may wait for their answers, which the SDK keeps until the agent has read those before. */
const mostAsked = 1000

const permissionMethod = methods.client.session.requestPermission
const cancelRequestMethod = methods.protocol.cancelRequest
const untouched = { parse: (params: unknown): unknown => params }

export function connectPeer({ onNotification, onPermission, write, onFull, onClosed }: PeerHandlers): Peer {
  /** Requests that wait for their answer. */
  const open = new Set<string | number>()
  /** Requests of the agent that were not answered yet, and what waits for that. */
  const asked = new Set<unknown>()
  const waiting: (() => void)[] = []
  let isClosed = false
  const stream = createMessageStream<JsonRpcMessage, OutgoingMessage>((message) => {
    const { id, method } = message
    if (method !== undefined && id !== undefined) open.add(id)
    const written = write(`${JSON.stringify(message)}\n`)
    if (method === undefined && asked.delete(id)) {
      if (asked.size === mostAsked) onFull(false)
      if (asked.size === 0) for (const send of waiting.splice(0)) send()
    }
    return written
  })
  const connection = client({ name: 'xstate-subagents' })
    .onRequest(permissionMethod, untouched, ({ params, signal }) => onPermission(params, signal))
    .connect(stream as never)
  void connection.closed.then(() => {
    isClosed = true
    onClosed()
  })
  return {
    async request(method, params) {
      try {
        return await connection.agent.request(method, params)
      } catch (error) {
        throw error instanceof RequestError ? agentError(error) : error
      }
    },
    notify(method, params) {
      const send = (): void => void connection.agent.notify(method, params).catch(() => {})
      if (asked.size === 0) send()
      else waiting.push(send)
    },
    receive(message) {
      if (isClosed) return
      const { id, method, params } = message
      const isNotification = method !== undefined && id === undefined
      if (method !== undefined && id !== undefined && asked.add(id).size > mostAsked) onFull(true)
      if (isNotification && method !== cancelRequestMethod) onNotification(method, params)
      // An answer that nobody waits for, as the complaint about a message that could not be read, is nobody's.
      else if (method !== undefined || open.delete(id as string | number)) stream.deliver(message)
    },
    close: () => connection.close(),
  }
}

/** An error that is a string, or has no code, is kept in words. */
function agentError({ code, message, data }: RequestError): AgentError {
  const raw = (data as { readonly error?: unknown } | undefined)?.error
  return new AgentError(code, typeof raw === 'string' ? raw : message, data)
}
