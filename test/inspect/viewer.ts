import { once } from 'node:events'
import { WebSocket } from 'ws'
import { until } from '../providers/collect.ts'

export interface ViewerMessage {
  readonly type: string
  readonly name?: string
  readonly sessionId: string
  readonly parentId?: string
  readonly rootId?: string
  readonly definition?: string
  readonly event?: { readonly type: string }
  readonly snapshot?: { readonly status?: string; readonly value?: unknown }
}

export interface Viewer {
  readonly messages: ViewerMessage[]
  readonly socket: WebSocket
  readonly ended: Promise<void>
  has(condition: (message: ViewerMessage) => boolean): Promise<void>
}

/** Looks on as a page does; open when it resolves. */
export async function viewer(url: string, headers: Record<string, string> = {}): Promise<Viewer> {
  const socket = new WebSocket(url, { headers })
  const messages: ViewerMessage[] = []
  socket.on('message', (data) => messages.push(JSON.parse((data as Buffer).toString()) as ViewerMessage))
  const ended = new Promise<void>((resolve) => void socket.on('close', () => resolve()).on('error', () => {}))
  await once(socket, 'open')
  return { messages, socket, ended, has: (condition) => until(() => messages.some(condition)) }
}
