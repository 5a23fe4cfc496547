/**
 * An HTTP server on the loopback address, for one child: each request has to bring the token, the name of this very server as
 * its `Host`, and no `Origin` of a web page (A14). Stateless; every reply is one JSON object.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Of one message; a result that is larger is none that anybody would read. */
const mostBytes = 16 * 1024 * 1024
const path = '/mcp'

export interface HttpServer {
  readonly url: string
  /** Resolves when it listens no more and no connection is left. */
  close(): Promise<void>
}

/**
 * @param answer gives the reply to a parsed body, `undefined` where none is due. Must not reject.
 * @throws what listening fails with
 */
export async function openHttpServer(token: string, answer: (body: unknown) => Promise<unknown>): Promise<HttpServer> {
  const server = createServer((request, response) => void serve(request, response, hosts, token, answer))
  const hosts = new Set<string>()
  await listen(server)
  const { port } = server.address() as AddressInfo
  for (const host of ['127.0.0.1', 'localhost']) hosts.add(`${host}:${port}`)
  // The child's process keeps this one alive as long as there is need for it.
  server.unref()
  return {
    url: `http://127.0.0.1:${port}${path}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      server.off('error', reject)
      // A connection that cannot be accepted is the client's to notice.
      server.on('error', () => {})
      resolve()
    })
  })
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  hosts: ReadonlySet<string>,
  token: string,
  answer: (body: unknown) => Promise<unknown>,
): Promise<void> {
  const end = (status: number, body?: unknown): void => {
    // What was not read of a request that is refused is not waited for.
    if (!request.complete) response.setHeader('connection', 'close')
    response.statusCode = status
    if (body === undefined) return void response.end()
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(body))
  }
  response.on('error', () => {})
  request.on('error', () => {})
  const { host = '', origin, authorization = '' } = request.headers
  if (!hosts.has(host) || (origin !== undefined && !isLoopback(origin))) return end(403)
  if (!isSame(authorization, `Bearer ${token}`)) {
    response.setHeader('www-authenticate', 'Bearer')
    return end(401)
  }
  if (request.url !== path) return end(404)
  if (request.method !== 'POST') {
    response.setHeader('allow', 'POST')
    return end(405)
  }
  const text = await read(request)
  if (text === undefined) return end(413)
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return end(400, { jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'Parse error' } })
  }
  const reply = await answer(body)
  return reply === undefined ? end(202) : end(200, reply)
}

/** `undefined` for a body that is too long, or that did not come to its end. */
async function read(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > mostBytes) return undefined
      chunks.push(chunk)
    }
  } catch {
    return undefined
  }
  return Buffer.concat(chunks).toString('utf8')
}

function isLoopback(origin: string): boolean {
  return /^https?:\/\/(127\.0\.0\.1|localhost)(:\d+)?$/.test(origin)
}

/** In a time that tells nothing of where they differ. */
function isSame(given: string, expected: string): boolean {
  const [a, b] = [given, expected].map((text) => createHash('sha256').update(text).digest()) as [Buffer, Buffer]
  return timingSafeEqual(a, b)
}
