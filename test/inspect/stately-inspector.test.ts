import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { createWebSocketReceiver } from '@statelyai/inspect'
import { afterEach, describe, expect, it } from 'vitest'
import { createAgents } from '../../src/agents/index.ts'
import { statelyInspector } from '../../src/inspect/index.ts'
import type { JournalOptions, StatelyInspector, StatelyInspectorOptions } from '../../src/inspect/index.ts'
import { spawnProvider } from '../../src/providers/index.ts'
import { scriptedModel, scriptedProvider } from '../../src/testing/index.ts'
import { collectLogger, until } from '../providers/collect.ts'
import { viewer } from './viewer.ts'
import type { ViewerMessage } from './viewer.ts'
import { entriesOf, request, watched } from './watched.ts'

const inspectors: StatelyInspector[] = []
afterEach(() => Promise.all(inspectors.splice(0).map((inspector) => inspector.close())))

async function inspected(options: Partial<StatelyInspectorOptions> = {}, journalOptions: JournalOptions = {}) {
  const provider = scriptedProvider((_, __, index) => (index === 0 ? { hang: true } : 'done'))
  const all = watched({ providers: [provider] }, journalOptions)
  const inspector = await statelyInspector({ journal: all.journal, ...options })
  inspectors.push(inspector)
  return { ...all, provider, inspector }
}

const statesOf = (messages: readonly ViewerMessage[], sessionId: string) =>
  messages.filter((message) => message.sessionId === sessionId && message.snapshot).map(({ snapshot }) => snapshot!.value)

describe('statelyInspector', () => {
  it('I2: shows a viewer registry, run and child agent with their charts, every state, and the events with who sent them', async () => {
    const agents = createAgents({ model: scriptedModel(() => 'Three.') })
    const { service, journal, inspector } = await inspected()
    service.registerProvider(spawnProvider({ agents }))
    const watching = await viewer(inspector.webSocketUrl)
    await service.delegate('spawn', { ...request, id: 'count', label: 'counting' })
    await service.close()
    const entries = await entriesOf(journal)
    await watching.ended

    const actors = watching.messages.filter(({ type }) => type === '@xstate.actor')
    const [registry, run, agent] = actors
    expect(actors.map(({ name }) => name)).toEqual(['registry', 'counting (count)', agent!.name])
    expect(actors.map(({ parentId }) => parentId)).toEqual([undefined, registry!.sessionId, run!.sessionId])
    expect(actors.map(({ definition }) => (JSON.parse(definition!) as { id: string }).id)).toEqual(['registry', 'run', 'agent'])
    expect(new Set(watching.messages.map(({ rootId }) => rootId))).toEqual(new Set([registry!.sessionId]))
    expect(statesOf(watching.messages, run!.sessionId)).toEqual([
      { validating: 'checking' },
      'starting',
      { running: 'active' },
      { settling: 'held' },
      { settling: 'releasing' },
      { settling: 'releasing' },
      'disposed',
    ])
    // One message an event, never more.
    const told = entries.filter(({ type }) => type === 'actor' || type === 'event' || type === 'snapshot')
    expect(watching.messages.map(({ type }) => type)).toEqual(told.map(({ type }) => `@xstate.${type}`))
  })

  it('I2: a chart that a viewer draws holds no more than names', async () => {
    const { inspector } = await inspected()
    const watching = await viewer(inspector.webSocketUrl)
    await watching.has(({ name }) => name === 'registry')
    expect(JSON.parse(watching.messages[0]!.definition!)).toMatchObject({
      id: 'registry',
      initial: 'open',
      states: { open: { on: { close: [{ target: ['draining'], actions: ['drain'] }] } }, closed: { type: 'final' } },
    })
  })

  it('I2: one who comes late gets every live actor with its chart and its state, however much has gone by', async () => {
    const { service, inspector } = await inspected({}, { limit: 20 })
    const live = service.start('scripted', { ...request, id: 'live' })
    for (let n = 0; n < 50; n++) await service.delegate('scripted', request)
    const late = await viewer(inspector.webSocketUrl)
    await late.has(({ name }) => name === 'live')
    const actor = late.messages.find(({ name }) => name === 'live')!
    expect(actor.snapshot).toEqual({ status: 'active', value: { running: 'active' } })
    expect((JSON.parse(actor.definition!) as { id: string }).id).toBe('run')
    expect(actor.parentId).toBe(late.messages[0]!.sessionId)
    live.cancel()
    await late.has(({ sessionId, snapshot }) => sessionId === actor.sessionId && JSON.stringify(snapshot?.value) === '{"settling":"held"}')
    await service.close()
  })

  it("I2: the package's own receiver can look on as well", async () => {
    const { service, inspector } = await inspected()
    const types: string[] = []
    createWebSocketReceiver({ server: inspector.webSocketUrl }).subscribe(({ type }) => types.push(type))
    service.start('scripted', request).cancel()
    await until(() => types.includes('@xstate.snapshot'))
    expect(types[0]).toBe('@xstate.actor')
    await service.close()
  })

  it('I2: a viewer that does not take what it is sent slows no run; what it missed is counted, and what is live told again', async () => {
    const { service, journal, inspector } = await inspected({}, { limit: 200 })
    const live = service.start('scripted', { ...request, id: 'live' })
    const slow = await viewer(inspector.webSocketUrl)
    const quick = await viewer(inspector.webSocketUrl)
    await slow.has(({ name }) => name === 'live')
    slow.socket.pause()
    let runs = 0
    // As many as it takes until the socket's buffers, the system's included, are full and the journal has gone on without it.
    while (runs < 20_000 && inspector.dropped === 0) {
      for (let n = 0; n < 200; n++, runs++) await service.delegate('scripted', { ...request, label: 'x'.repeat(110) })
      slow.socket.resume()
      await new Promise<void>((resolve) => setImmediate(resolve))
      slow.socket.pause()
    }
    expect(inspector.dropped).toBeGreaterThan(0)
    expect(inspector.viewers).toBe(2)
    slow.socket.resume()
    live.cancel()
    await service.close()
    journal.close()
    await Promise.all([slow.ended, quick.ended])
    expect(slow.messages.filter(({ name }) => name === 'live').length).toBeGreaterThan(1)
    const { sessionId } = slow.messages.find(({ name }) => name === 'live')!
    expect(statesOf(slow.messages, sessionId).at(-1)).toBe('disposed')
  }, 60_000)

  it('I2: a viewer that dies, or says something, harms nobody', async () => {
    const { service, inspector, warnings } = await inspected()
    const dying = await viewer(inspector.webSocketUrl)
    const talking = await viewer(inspector.webSocketUrl)
    dying.socket.terminate()
    talking.socket.send('x'.repeat(100_000))
    await talking.ended
    await until(() => inspector.viewers === 0)
    await service.delegate('scripted', { ...request, timeoutMs: 50 })
    const next = await viewer(inspector.webSocketUrl)
    await next.has(({ name }) => name === 'registry')
    await service.close()
    expect(warnings).toEqual([])
  })

  it('I2: listens on 127.0.0.1 alone', async () => {
    const { inspector } = await inspected()
    const { hostname, port } = new URL(inspector.url)
    expect(hostname).toBe('127.0.0.1')
    const others = Object.values(networkInterfaces())
      .flat()
      .filter((each) => each && !each.internal && each.family === 'IPv4')
      .map((each) => each!.address)
    for (const host of [...others, '127.0.0.2']) {
      const socket = connect({ host, port: Number(port), timeout: 2000 })
      const outcome = await new Promise((resolve) => {
        socket.on('connect', () => resolve('connected')).on('error', () => resolve('refused'))
      })
      socket.destroy()
      expect(outcome, host).toBe('refused')
    }
  })

  it('I2: answers to its own name, its own origin and its own address, and to nothing else', async () => {
    const { inspector } = await inspected()
    const { host, pathname, port } = new URL(inspector.url)
    const status = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
      new Promise<number>((resolve, reject) => {
        httpRequest({ host: '127.0.0.1', port, path, method, headers }, (response) => resolve(response.resume().statusCode!))
          .on('error', reject)
          .end()
      })
    expect(pathname).toMatch(/^\/[0-9a-f]{32}\/$/)
    expect(await status(pathname)).toBe(200)
    expect(await status('/')).toBe(404)
    expect(await status(`${pathname}x`)).toBe(404)
    expect(await status(pathname, {}, 'POST')).toBe(405)
    expect(await status(pathname, { host: `evil.example:${port}` })).toBe(403)
    expect(await status(pathname, { host: `localhost:${port}` })).toBe(403)
    expect(await status(pathname, { origin: 'https://evil.example' })).toBe(403)
    expect(await status(pathname, { origin: `http://${host}` })).toBe(200)

    const refused = { message: expect.stringContaining('403') as unknown }
    await expect(viewer(inspector.webSocketUrl, { origin: 'https://evil.example' })).rejects.toMatchObject(refused)
    await expect(viewer(inspector.webSocketUrl, { host: 'evil.example' })).rejects.toMatchObject(refused)
    await expect(viewer(`ws://${host}/events`)).rejects.toMatchObject(refused)
    await (await viewer(inspector.webSocketUrl, { origin: `http://${host}` })).has(({ name }) => name === 'registry')
  })

  it('I2: its page asks nobody but itself and the inspector, and runs no script but its own', async () => {
    const { inspector } = await inspected({ url: 'https://stately.example/inspect?a=1&b="2"' })
    const response = await fetch(inspector.url)
    const html = await response.text()
    const policy = response.headers.get('content-security-policy')!
    const nonce = /script-src 'nonce-([^']+)'/.exec(policy)![1]!
    expect(policy).toContain("default-src 'none'; frame-src https://stately.example;")
    expect(policy).toContain(`connect-src ${new URL(inspector.webSocketUrl).origin};`)
    expect(html).toContain(`<script nonce="${nonce}">`)
    expect(html).toContain(`src="https://stately.example/inspect?a=1&#38;b=%222%22"`)
    expect((await (await fetch(inspector.url)).text()).includes(nonce)).toBe(false)
  })

  it('I2: needs a journal, a port that can be had and an address; each is named where it is wrong', async () => {
    const { journal, inspector } = await inspected()
    const taken = Number(new URL(inspector.url).port)
    const problem = (options: object) =>
      statelyInspector({ journal, logger: collectLogger(), ...options }).then(
        () => 'none',
        (error: Error) => error.message,
      )
    expect(await problem({ journal: undefined })).toMatch(/^journal must be/)
    expect(await problem({ port: 70_000 })).toMatch(/^port must be/)
    expect(await problem({ url: 'javascript:alert(1)' })).toMatch(/^url must be/)
    expect(await problem({ port: taken })).toMatch(
      new RegExp(`^port ${taken} of 127.0.0.1 cannot be had: somebody else listens on it\\. Leave port out`),
    )
  })

  it('I2: opens no browser unasked, and one that cannot be opened is a warning', async () => {
    const { journal } = await inspected()
    const logger = collectLogger()
    const { PATH } = process.env
    process.env['PATH'] = '/nowhere'
    try {
      const quiet = await statelyInspector({ journal, logger })
      await quiet.close()
      const opening = await statelyInspector({ journal, logger, autoOpen: true })
      inspectors.push(opening)
      await until(() => logger.warnings.length > 0)
      expect(logger.warnings).toEqual([expect.stringMatching(/^No browser could be opened \(.*ENOENT.*\)\. Open http:/)])
    } finally {
      process.env['PATH'] = PATH
    }
  })

  it('I2: closed, it lets its viewers go and its port', async () => {
    const { inspector } = await inspected()
    const watching = await viewer(inspector.webSocketUrl)
    await Promise.all([inspector.close(), inspector.close(), watching.ended])
    await expect(fetch(inspector.url)).rejects.toThrow('fetch failed')
  })
})
