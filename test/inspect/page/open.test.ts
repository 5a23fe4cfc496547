import { connect } from 'node:net'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createJournal, createPermissionDesk, openInspectPage, readJournal, recordJournal } from '../../../src/inspect/index.ts'
import type { InspectPage, InspectPageOptions } from '../../../src/inspect/index.ts'
import type { ChartLayout, PageHello, PagePermission } from '../../../src/inspect/page/protocol.ts'
import type { PermissionRequest } from '../../../src/index.ts'
import { scriptedProvider } from '../../../src/testing/index.ts'
import { buildProgram } from '../../cli/program-process.ts'
import { temporaryFolder } from '../../cli/workspace/temporary-folder.ts'
import { until } from '../../providers/collect.ts'
import { fold, request, watched } from '../watched.ts'
import { ask, pageViewer } from './viewer.ts'
import type { Answer, PageViewer } from './viewer.ts'

beforeAll(() => buildProgram())

async function opened(shown: Parameters<typeof openInspectPage>[0], options: InspectPageOptions = {}): Promise<InspectPage> {
  const page = await openInspectPage(shown, { env: {}, ...options })
  onTestFinished(() => page.close())
  return page
}

async function looking(page: InspectPage): Promise<PageViewer> {
  const viewer = await pageViewer(page.url)
  onTestFinished(() => viewer.leave())
  return viewer
}

const ended = ({ type, data }: { type: string; data: unknown }) =>
  type === 'entries' && (data as { type: string }[]).some((entry) => entry.type === 'end')

describe('who may look', () => {
  async function statuses(cases: Readonly<Record<string, Parameters<typeof ask>>>): Promise<Record<string, number>> {
    const answers = Object.entries(cases).map(async ([name, args]) => [name, (await ask(...args)).status] as const)
    return Object.fromEntries(await Promise.all(answers))
  }

  it('I3: whoever knows the address, by a name of this machine, from a page of its own; nobody else, for no file and no stream', async () => {
    const { service } = watched({ providers: [scriptedProvider(['yes'])] })
    const page = await opened(service)
    const { url } = page
    const { port, origin } = new URL(url)
    const wrong = url.replace(/[^/]\/$/, (end) => (end[0] === 'A' ? 'B/' : 'A/'))
    expect(
      await statuses({
        page: [url],
        script: [`${url}app.js`],
        style: [`${url}app.css`],
        stream: [`${url}events`],
        'by another name of this machine': [url, { headers: { host: `localhost:${port}` } }],
        'from its own page': [`${url}events`, { headers: { origin, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' } }],
        'a link in another page': [url, { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' } }],
        'without the slash': [url.slice(0, -1)],
        'another name that points here': [url, { headers: { host: `evil.example:${port}` } }],
        'another port': [url, { headers: { host: '127.0.0.1:1' } }],
        'another origin': [`${url}events`, { headers: { origin: 'http://evil.example' } }],
        'no origin at all': [`${url}events`, { headers: { origin: 'null' } }],
        'a script tag of another page': [`${url}app.js`, { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' } }],
        'no token': [`${origin}/`],
        'no token, a file': [`${origin}/app.js`],
        'a wrong token': [wrong],
        'a wrong token, the stream': [`${wrong}events`],
        'a part of the token': [`${url.slice(0, -5)}/`],
        'no such file': [`${url}package.json`],
        'a way out': [`${url}..%2f..%2fpackage.json`],
        'a post to the page': [url, { method: 'POST', headers: { origin } }],
      }),
    ).toEqual({
      page: 200,
      script: 200,
      style: 200,
      stream: 200,
      'by another name of this machine': 200,
      'from its own page': 200,
      'a link in another page': 200,
      'without the slash': 302,
      'another name that points here': 403,
      'another port': 403,
      'another origin': 403,
      'no origin at all': 403,
      'a script tag of another page': 403,
      'no token': 404,
      'no token, a file': 404,
      'a wrong token': 404,
      'a wrong token, the stream': 404,
      'a part of the token': 404,
      'no such file': 404,
      'a way out': 404,
      'a post to the page': 404,
    })
    await service.close()
  })

  it('I3: listens on 127.0.0.1 alone, under an address that nobody guesses', async () => {
    const { service } = watched({ providers: [] })
    const [one, other] = [await opened(service), await opened(service)]
    expect(one.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/$/)
    expect(new URL(one.url).pathname).not.toBe(new URL(other.url).pathname)
    const { port } = new URL(one.url)
    const elsewhere = connect(Number(port), '127.0.0.2')
    const refused = await new Promise((resolve) => elsewhere.on('error', () => resolve('refused')).on('connect', () => resolve('taken')))
    expect(refused).toBe('refused')
    await service.close()
  })

  it('I3: its page loads nothing from elsewhere and is framed by nobody, by its own policy; nothing is cached', async () => {
    const { service } = watched({ providers: [] })
    const { url } = await opened(service)
    for (const file of ['', 'app.js', 'app.css', 'nothing', 'events']) {
      const { headers } = await ask(`${url}${file}`)
      expect(headers['content-security-policy'], file).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      )
      expect([headers['referrer-policy'], headers['cache-control'], headers['x-content-type-options']], file).toEqual([
        'no-referrer',
        'no-store',
        'nosniff',
      ])
    }
    const { body } = await ask(url)
    expect([...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, to]) => to!.slice(0, 10))).toEqual(['data:image', './app.js', './app.css'])
    await service.close()
  })
})

describe('what a viewer gets', () => {
  it('I3: everything that the journal still has, then what follows, then the end; also who comes late, and who comes again', async () => {
    const provider = scriptedProvider(['yes', { hang: true }])
    const { service, journal } = watched({ providers: [provider] })
    const page = await opened(journal)
    const early = await looking(page)
    await service.delegate('scripted', { ...request, label: 'first' })
    const second = service.start('scripted', { ...request, label: 'second' })
    const late = await looking(page)
    await late.has(ended)
    expect(late.of<PageHello>('hello').map(({ mode, canAnswer }) => [mode, canAnswer])).toEqual([['live', false]])
    provider.children[1]!.settle()
    await second.result
    await service.close()
    const again = await looking(page)
    await again.has(ended)
    expect(page.viewers).toBe(3)
    journal.close()
    await Promise.all([early.ended, late.ended, again.ended])
    for (const viewer of [early, late, again]) {
      const { runs, actors } = fold(viewer.entries())
      expect([...runs].map(({ label, stopReason }) => [label, stopReason])).toEqual([
        ['first', 'completed'],
        ['second', 'completed'],
      ])
      expect([...actors].map(({ kind, status }) => [kind, status])).toEqual([
        ['registry', 'done'],
        ['run', 'done'],
        ['run', 'done'],
      ])
      expect(viewer.messages.at(-1)!.type).toBe('bye')
    }
    expect(page.dropped).toBe(0)
    expect(page.viewers).toBe(0)
  })

  it('I3: each chart, laid out once by ELK, its states inside one another and its arrows from one to the other', async () => {
    const { service, journal } = watched({ providers: [scriptedProvider(['yes'])] })
    const page = await opened(journal)
    await service.delegate('scripted', request)
    const [one, other] = [await looking(page), await looking(page)]
    await Promise.all([one, other].map((viewer) => until(() => viewer.of('layout').length === 2)))
    expect(one.of('layout')).toEqual(other.of('layout'))
    const run = one.of<ChartLayout>('layout').find(({ chart }) => chart === 'run')!
    const place = new Map(run.states.map((state) => [state.id, state]))
    expect([...place.keys()]).toEqual([
      'validating',
      'validating.checking',
      'validating.queued',
      'starting',
      'running',
      'running.active',
      'running.awaitingPermission',
      'settling',
      'settling.draining',
      'settling.held',
      'settling.releasing',
      'disposed',
    ])
    for (const { id, x, y, width, height } of run.states) {
      const outer = place.get(id.split('.').slice(0, -1).join('.')) ?? { x: 0, y: 0, width: run.width, height: run.height }
      expect(x >= outer.x && y >= outer.y && x + width <= outer.x + outer.width && y + height <= outer.y + outer.height, id).toBe(true)
    }
    const settle = run.edges.find(({ from, to }) => from === 'running' && to === 'settling.held')!
    expect(settle.events).toEqual(['settle', 'reject'])
    expect(settle.points.length).toBeGreaterThan(1)
    await service.close()
  })

  it('I3, I2: nothing of prompts, texts, tools, outputs and errors, unless the journal is one with content', async () => {
    const secret = 'the moon is made of green cheese'
    const provider = () =>
      scriptedProvider([
        {
          tools: [{ name: 'look', input: { path: secret } }],
          text: secret,
          stopReason: 'error',
          diagnostic: secret,
          failure: { code: 'MODEL_ERROR', phase: 'running', retryable: false, message: secret },
        },
        { hang: true },
      ])
    const told = async (content: boolean): Promise<string> => {
      const { service, journal } = watched({ providers: [provider()] }, { content })
      const page = await opened(journal)
      const viewer = await looking(page)
      await service.delegate('scripted', { ...request, prompt: secret, agentOptions: { systemPrompt: secret } as never })
      const run = service.start('scripted', { ...request, prompt: secret })
      run.cancel(secret)
      await run.result
      await service.close()
      journal.close()
      await viewer.ended
      return viewer.text()
    }
    expect(await told(false)).toContain('MODEL_ERROR')
    expect(await told(false)).not.toContain('green cheese')
    expect(await told(true)).toContain('green cheese')
  })

  it('I3: a viewer who takes nothing holds up no run and holds nothing back; once it takes again it is told how many entries it missed, and what is live', async () => {
    const { service, journal } = watched(
      { providers: [scriptedProvider(() => ({ text: Array.from({ length: 200 }, () => 'x') }))] },
      { limit: 1000 },
    )
    const page = await opened(journal)
    const slow = await looking(page)
    await slow.has(({ type }) => type === 'entries')
    slow.response.pause()
    // More than fits into the buffers between here and there; each run has its turn of the loop to be told of.
    for (let runs = 0; runs < 500; runs++) {
      await service.delegate('scripted', request)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(slow.text().length).toBeLessThan(1_000_000)
    slow.response.resume()
    await service.delegate('scripted', { ...request, label: 'last' })
    await service.close()
    journal.close()
    await slow.ended
    const state = fold(slow.entries())
    expect(state.dropped).toBeGreaterThan(10_000)
    expect(state.dropped).toBe(page.dropped)
    expect([...state.runs].at(-1)).toMatchObject({ label: 'last', stopReason: 'completed' })
    expect(slow.messages.at(-1)!.type).toBe('bye')
  })

  it('I3: a viewer who is gone is forgotten, and one that stays is let go when the page closes', async () => {
    const { service, journal, warnings } = watched({ providers: [] })
    const page = await opened(journal)
    const [gone, stays] = [await looking(page), await looking(page)]
    await Promise.all([gone, stays].map((viewer) => viewer.has(({ type }) => type === 'entries')))
    gone.leave()
    await until(() => page.viewers === 1)
    await page.close()
    await stays.ended
    expect(stays.messages.at(-1)!.type).toBe('bye')
    expect(page.viewers).toBe(0)
    await page.close()
    expect(warnings).toEqual([])
    await service.close()
  })

  it('I3: a service is watched from then on, and no longer once the page is closed', async () => {
    const { service } = watched({ providers: [scriptedProvider(['yes'])] })
    const page = await opened(service)
    await service.delegate('scripted', request)
    const viewer = await looking(page)
    await viewer.has(ended)
    await page.close()
    await viewer.ended
    expect([...fold(viewer.entries()).runs].map(({ stopReason }) => stopReason)).toEqual(['completed'])
    await service.close()
  })

  it('I3, I4: a recording, whole, with its name and its fault, then the end; each viewer anew', async () => {
    const { service, journal } = watched({ providers: [scriptedProvider(['yes', { stopReason: 'refusal' }])] })
    const recording = await recordJournal(journal, `${await temporaryFolder()}/runs.jsonl`)
    await service.delegate('scripted', request)
    await service.delegate('scripted', request)
    await service.close()
    await recording.close()
    const recorded = await readJournal(recording.file)
    const page = await opened(recorded)
    for (const viewer of [await looking(page), await looking(page)]) {
      await viewer.ended
      expect(viewer.of('hello')).toEqual([
        { mode: 'replay', file: 'runs.jsonl', entries: recorded.entries.length, isTorn: false, now: expect.any(Number), canAnswer: false },
      ])
      expect(viewer.entries()).toEqual(recorded.entries)
      expect(viewer.of<ChartLayout>('layout').map(({ chart }) => chart)).toEqual(['registry', 'run'])
      expect(viewer.messages.at(-1)!.type).toBe('bye')
    }
  })
})

describe('an answer to a question', () => {
  const question: PermissionRequest = {
    id: 'q1',
    title: 'May I use hunter2-hunter2 to publish?',
    toolName: 'publish',
    options: [
      { id: 'yes', name: 'Allow once', kind: 'allow_once' },
      { id: 'no', name: 'Reject', kind: 'reject_once' },
    ],
  }

  async function asking() {
    const desk = createPermissionDesk()
    const provider = scriptedProvider([{ hang: true }])
    const { service, journal } = watched({ providers: [provider] })
    const page = await opened(journal, { permissions: desk, env: { DEPLOY_TOKEN: 'hunter2-hunter2' } })
    const viewer = await looking(page)
    const run = service.start('scripted', request)
    const [child] = provider.children
    const asked = child!.ask(question)
    const answered = desk.ask({ runId: run.runId, request: question }, child!.context.signal)
    void answered.then((answer) => {
      asked.answer()
      child!.settle({ output: [{ type: 'text', text: answer?.optionId ?? 'none' }] })
    })
    await until(() => viewer.of<PagePermission[]>('permissions').length > 0)
    const { origin } = new URL(page.url)
    const give = (body: object | string, headers = {}): Promise<Answer> =>
      ask(`${page.url}answer`, {
        method: 'POST',
        headers: { origin, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      })
    return { desk, service, page, viewer, run, give, runId: run.runId }
  }

  it('I3, A13: a pending question is shown as a person is asked it, without known secrets, and answered once', async () => {
    const { service, viewer, run, give, runId } = await asking()
    expect(viewer.of<PagePermission[]>('permissions')).toEqual([
      [
        {
          runId,
          requestId: 'q1',
          title: 'May I use [redacted] to publish?',
          toolName: 'publish',
          options: question.options,
        },
      ],
    ])
    expect((await give({ runId, requestId: 'q1', optionId: 'maybe' })).status).toBe(409)
    expect((await give({ runId: 'another', requestId: 'q1', optionId: 'yes' })).status).toBe(409)
    expect((await give({ runId, requestId: 'q1', optionId: 'yes' })).status).toBe(204)
    expect((await give({ runId, requestId: 'q1', optionId: 'no' })).status).toBe(409)
    expect((await run.result).output).toEqual([{ type: 'text', text: 'yes' }])
    await until(() => viewer.of<PagePermission[]>('permissions').length === 2)
    expect(viewer.of('permissions')[1]).toEqual([])
    await service.close()
  })

  it('I3: is taken from the page alone: not without an origin, not from another, not malformed, not too long', async () => {
    const { desk, service, give, runId } = await asking()
    const right = { runId, requestId: 'q1', optionId: 'yes' }
    expect((await give(right, { origin: [] })).status).toBe(403)
    expect((await give(right, { origin: 'http://evil.example' })).status).toBe(403)
    expect((await give(right, { origin: 'null' })).status).toBe(403)
    expect((await give(right, { host: 'evil.example' })).status).toBe(403)
    for (const body of ['', 'null', '[]', '{"runId":1}', 'x']) expect((await give(body)).status, body).toBe(400)
    expect((await give({ ...right, more: 'x'.repeat(20_000) })).status).toBe(413)
    expect(desk.pending().length).toBe(1)
    await service.close()
  })

  it('A13: a question whose run is over is withdrawn without an answer, and a closed desk has none for anybody', async () => {
    const { desk, service, run } = await asking()
    run.cancel()
    await run.result
    expect(desk.pending()).toEqual([])
    const waits = desk.ask({ runId: 'r', request: question })
    desk.close()
    expect(await waits).toBe(undefined)
    expect(await desk.ask({ runId: 'r', request: question })).toBe(undefined)
    expect(await desk.ask({ runId: 'r', request: question }, AbortSignal.abort())).toBe(undefined)
    await service.close()
  })
})

describe('what it is opened with', () => {
  it('I3: a wrong argument, a port that is none and one that is taken are refused by name', async () => {
    const { service } = watched({ providers: [] })
    await expect(openInspectPage({} as never)).rejects.toThrow(
      'openInspectPage must be given a service, a journal, or what readJournal gave',
    )
    await expect(openInspectPage(service, { port: -1 })).rejects.toThrow('port must be a port from 0 to 65535, got -1.')
    const page = await opened(service)
    const port = Number(new URL(page.url).port)
    await expect(openInspectPage(service, { port })).rejects.toThrow(`port ${port} of 127.0.0.1 cannot be had`)
    const journal = createJournal(service, { env: {} })
    await opened(journal)
    journal.close()
    await service.close()
  })
})
