/**
 * A server for one page and one socket, on this machine alone: it listens on 127.0.0.1, answers to its own name only, to pages of
 * its own origin, and to those who know its address, which nobody can guess (I2).
 */
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'
import { systemClock } from '../../run/defaults.ts'
import { closeServer, listenOnLoopback } from '../loopback.ts'
import { pageHeaders, pageHtml } from './page.ts'

export interface ViewerServerOptions {
  readonly port: number
  readonly inspectorUrl: URL
  /** A viewer has come. */
  readonly onViewer: (socket: WebSocket) => void
}

export interface ViewerServer {
  readonly url: string
  readonly webSocketUrl: string
  close(): Promise<void>
}

/** @throws SubagentError INVALID_REQUEST where the port cannot be had */
export async function startViewerServer({ port, inspectorUrl, onViewer }: ViewerServerOptions): Promise<ViewerServer> {
  const { WebSocketServer } = await import('ws')
  const path = `/${randomBytes(16).toString('hex')}`
  const server = createServer()
  // Viewers only listen.
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 1024 })
  const host = `127.0.0.1:${await listenOnLoopback(server, port)}`
  const webSocketUrl = `ws://${host}${path}/events`
  const isOurs = ({ headers }: IncomingMessage) =>
    headers.host === host && (headers.origin === undefined || headers.origin === `http://${host}`)

  server.on('request', (request, response) => {
    if (!isOurs(request)) return void response.writeHead(403).end()
    if (request.url !== `${path}/`) return void response.writeHead(404).end()
    if (request.method !== 'GET') return void response.writeHead(405, { allow: 'GET' }).end()
    const page = { inspectorUrl, socketUrl: webSocketUrl, nonce: randomBytes(16).toString('base64') }
    response.writeHead(200, pageHeaders(page)).end(pageHtml(page))
  })
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy())
    if (!isOurs(request) || request.url !== `${path}/events`) return void socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n')
    sockets.handleUpgrade(request, socket, head, (viewer) => {
      viewer.on('error', () => viewer.terminate())
      onViewer(viewer)
    })
  })
  server.on('clientError', (_, socket) => socket.destroy())

  let closed: Promise<void> | undefined
  const close = async () => {
    for (const viewer of sockets.clients) viewer.close(1001)
    // One that does not answer is not waited for.
    await closeServer(server, systemClock, () => {
      for (const viewer of sockets.clients) viewer.terminate()
    })
  }
  return { url: `http://${host}${path}/`, webSocketUrl, close: () => (closed ??= close()) }
}
