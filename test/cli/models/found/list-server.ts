import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A server on loopback that answers with `reply` as JSON, or does what it does; closed when the test has finished. @returns its port */
export async function listServer(reply: (path: string | undefined, response: ServerResponse) => unknown): Promise<number> {
  const server = createServer((request, response) => {
    const body = reply(request.url, response)
    if (body !== undefined) response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}
