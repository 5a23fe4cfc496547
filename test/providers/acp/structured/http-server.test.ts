import { request as httpRequest } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openHttpServer } from '../../../../src/providers/acp/structured/http-server.ts'
import { answerMessage } from '../../../../src/providers/acp/structured/methods.ts'
import type { ResultTool } from '../../../../src/providers/acp/structured/methods.ts'

const tool: ResultTool = { schema: { type: 'object' }, onListed: () => {}, give: async () => ({ text: 'taken', isError: false }) }

async function open() {
  const server = await openHttpServer('secret', (body) => answerMessage(body, tool))
  onTestFinished(() => server.close())
  const send = (
    body: string | undefined,
    { headers = {}, method = 'POST', path = '/mcp' }: { headers?: Record<string, string>; method?: string; path?: string } = {},
  ): Promise<{ status: number; body: string }> =>
    new Promise((resolve, reject) => {
      const request = httpRequest(new URL(path, server.url), { method, headers: { authorization: 'Bearer secret', ...headers } })
      request.on('error', reject)
      request.on('response', (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part: string) => (text += part))
        response.on('end', () => resolve({ status: response.statusCode!, body: text }))
      })
      request.end(body)
    })
  return { server, send }
}
const rpc = (method: string, more: object = {}): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method, ...more })

describe('the server of the result', () => {
  it('A14: takes no request without its token, for another host, from a web page, or to another path', async () => {
    const { server, send } = await open()
    const { host } = new URL(server.url)
    const status = async (headers: Record<string, string>, path?: string) =>
      (await send(rpc('ping'), { headers, ...(path && { path }) })).status
    expect(new URL(server.url).hostname).toBe('127.0.0.1')
    expect(await status({})).toBe(200)
    expect(await status({ host: host.replace('127.0.0.1', 'localhost') })).toBe(200)
    expect(await status({ authorization: 'Bearer wrong' })).toBe(401)
    expect(await status({ authorization: 'secret' })).toBe(401)
    expect(await status({ host: 'attacker.example' })).toBe(403)
    expect(await status({ origin: 'https://attacker.example' })).toBe(403)
    expect(await status({ origin: 'null' })).toBe(403)
    expect(await status({}, '/other')).toBe(404)
  })

  it('A14: answers as clients of agents need it: 405 for GET, 202 for a notification, JSON for the rest', async () => {
    const { send } = await open()
    expect(await send(undefined, { method: 'GET' })).toEqual({ status: 405, body: '' })
    expect(await send(undefined, { method: 'DELETE' })).toEqual({ status: 405, body: '' })
    expect(await send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }))).toEqual({ status: 202, body: '' })
    expect(JSON.parse((await send(rpc('server/discover'))).body).error.code).toBe(-32_601)
    expect(JSON.parse((await send(rpc('tools/call', { params: { name: 'other' } }))).body).error.code).toBe(-32_602)
    const version = async (protocolVersion: string) =>
      JSON.parse((await send(rpc('initialize', { params: { protocolVersion } }))).body).result.protocolVersion as string
    expect([await version('2025-03-26'), await version('2031-01-01')]).toEqual(['2025-03-26', '2025-11-25'])
    expect(await send('{')).toMatchObject({ status: 400, body: expect.stringContaining('-32700') as string })
    expect(JSON.parse((await send('[]')).body).error.code).toBe(-32_600)
  })

  it('A14: takes a large value, and refuses one that is no longer reasonable without keeping it', async () => {
    const { send } = await open()
    const call = (length: number): string =>
      rpc('tools/call', { params: { name: 'structured_output', arguments: { text: 'x'.repeat(length) } } })
    expect((await send(call(4 * 1024 * 1024))).status).toBe(200)
    const refused = await send(call(17 * 1024 * 1024)).catch((error: NodeJS.ErrnoException) => ({ status: error.code }))
    // The connection is closed where the rest of the request is not read.
    expect([413, 'EPIPE', 'ECONNRESET']).toContain(refused.status)
  })

  it('A14: once closed there is nobody, also for a connection that was kept open', async () => {
    const { server, send } = await open()
    expect((await send(rpc('ping'))).status).toBe(200)
    await server.close()
    // The client may still hold the connection of before.
    await send(rpc('ping')).catch(() => {})
    await expect(send(rpc('ping'))).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })
})
