/** The page's server: the built page, one stream of events a viewer, and a place for answers, on 127.0.0.1 alone (I3). */
import { randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import type { Clock } from '../../types.ts'
import { closeServer, listenOnLoopback } from '../loopback.ts'
import type { Asset } from './assets.ts'
import { guardHeaders, refusalOf } from './guard.ts'
import type { PageAnswer } from './protocol.ts'

export interface PageServerOptions {
  readonly port: number
  readonly assets: ReadonlyMap<string, Asset>
  readonly clock: Clock
  /** The text of an event stream for a viewer who is there until `gone`. */
  readonly feed: (gone: AbortSignal) => AsyncGenerator<string, void, undefined>
  /** @returns false where there is no such question */
  readonly answer: (answer: PageAnswer) => boolean
}

export interface PageServer {
  /** With the token that opens it. */
  readonly url: string
  /** Feeds that have ended are seen off; others are not waited for. */
  close(): Promise<void>
}

const longestAnswer = 10_000

/** @throws SubagentError INVALID_REQUEST where the port cannot be had */
export async function startPageServer({ port: wished, assets, clock, feed, answer }: PageServerOptions): Promise<PageServer> {
  const [{ Hono }, { bodyLimit }, { createAdaptorServer }] = await Promise.all([
    import('hono'),
    import('hono/body-limit'),
    import('@hono/node-server'),
  ])
  const token = randomBytes(24).toString('base64url')
  let port = wished
  const app = new Hono()
  app.use(async (context, next) => {
    const { req } = context
    const refusal = refusalOf(
      {
        host: req.header('host'),
        origin: req.header('origin'),
        site: req.header('sec-fetch-mode') === 'navigate' ? undefined : req.header('sec-fetch-site'),
        token: req.path.split('/')[1] ?? '',
        changes: req.method !== 'GET',
      },
      { port, token },
    )
    if (refusal) return context.body(null, refusal, guardHeaders)
    await next()
    for (const [name, value] of Object.entries(guardHeaders)) context.res.headers.set(name, value)
    return undefined
  })
  app.get('/:token/events', ({ req, body }) => body(streamOf(feed, req.raw.signal), 200, { 'content-type': 'text/event-stream' }))
  app.post('/:token/answer', bodyLimit({ maxSize: longestAnswer, onError: ({ body }) => body(null, 413) }), async ({ req, body }) => {
    const given = answerOf(await req.text())
    if (!given) return body(null, 400)
    return body(null, answer(given) ? 204 : 409)
  })
  app.get('/:token', ({ redirect }) => redirect(`/${token}/`))
  app.get('/:token/:file{.*}', ({ req, body }) => {
    const asset = assets.get(req.param('file') || 'index.html')
    return asset ? body(asset.body, 200, { 'content-type': asset.type }) : body(null, 404)
  })
  // What a fault says is nothing for a viewer.
  app.onError((_, { body }) => body(null, 500))

  const server = createAdaptorServer({ fetch: app.fetch }) as Server
  port = await listenOnLoopback(server, wished)
  return { url: `http://127.0.0.1:${port}/${token}/`, close: () => closeServer(server, clock) }
}

/** Pulled by the viewer: nothing is made before the last was taken. */
function streamOf(feed: PageServerOptions['feed'], disconnected: AbortSignal): ReadableStream<Uint8Array> {
  const gone = new AbortController()
  disconnected.addEventListener('abort', () => gone.abort(), { once: true })
  const encoder = new TextEncoder()
  const messages = feed(gone.signal)
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await messages.next()
        if (done) controller.close()
        else controller.enqueue(encoder.encode(value))
      },
      async cancel() {
        gone.abort()
        await messages.return()
      },
    },
    { highWaterMark: 0 },
  )
}

function answerOf(text: string): PageAnswer | undefined {
  try {
    const given = JSON.parse(text) as Partial<Record<keyof PageAnswer, unknown>> | null
    const { runId, requestId, optionId } = given ?? {}
    if (typeof runId !== 'string' || typeof requestId !== 'string' || typeof optionId !== 'string') return undefined
    return { runId, requestId, optionId }
  } catch {
    return undefined
  }
}
