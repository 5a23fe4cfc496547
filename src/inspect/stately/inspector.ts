/**
 * A journal in Stately's inspector, on safe terms: this machine only, no browser opened unasked, nothing told that the journal
 * does not tell, a viewer that is slow or dead costs nobody anything (I2).
 */
import { execFile } from 'node:child_process'
import type { WebSocket } from 'ws'
import { SubagentError } from '../../errors.ts'
import { describeThrown, warn } from '../../run/contain.ts'
import { stderrLogger, systemClock } from '../../run/defaults.ts'
import { invalid } from '../../run/request.ts'
import type { Logger } from '../../types.ts'
import type { Journal } from '../journal.ts'
import { StatelyMessages } from './messages.ts'
import type { CreateInspector, StatelyMessage } from './messages.ts'
import { startViewerServer } from './server.ts'

/** What Stately's inspector is shown, and where its page finds it. */
export interface StatelyInspectorOptions {
  /** What is shown. It decides whether content is. */
  readonly journal: Journal
  /** On 127.0.0.1. @default one that is free */
  readonly port?: number
  /** Where the inspector's page comes from. @default 'https://stately.ai/inspect' */
  readonly url?: string
  /** Opens a browser. @default false */
  readonly autoOpen?: boolean
  /** @default warnings to stderr */
  readonly logger?: Logger
}

/** How long viewers are waited for at the end. */
const patienceMs = 1000

/** Whoever makes one closes it. */
export interface StatelyInspector extends AsyncDisposable {
  /** To be opened in a browser that can reach stately.ai. */
  readonly url: string
  /** For a viewer without the page, such as `createWebSocketReceiver({ server })` of @statelyai/inspect. */
  readonly webSocketUrl: string
  /** How many are watching. */
  readonly viewers: number
  /** Entries that viewers were too slow for, all viewers together. What is live was told to them again each time. */
  readonly dropped: number
  /** Viewers get what has come until now. Idempotent, never rejects. */
  close(): Promise<void>
}

/**
 * Serves the page of Stately's inspector and, over a WebSocket, what a journal tells, to any number of viewers. One who comes
 * late gets every live actor with its chart and state, and what led there as far as the journal keeps it.
 *
 * Needs the package `@statelyai/inspect`.
 * @throws SubagentError INVALID_REQUEST naming the option, where the port cannot be had, where the package is missing
 */
export async function statelyInspector(options: StatelyInspectorOptions): Promise<StatelyInspector> {
  const { journal, port = 0, url = 'https://stately.ai/inspect', autoOpen = false, logger = stderrLogger } = options
  if (typeof journal?.read !== 'function') throw invalid('journal', 'a journal of createJournal', journal)
  if (!Number.isSafeInteger(port) || port < 0 || port > 65_535) throw invalid('port', 'a port from 0 to 65535', port)
  const inspectorUrl = pageUrl(url)
  const { createInspector } = await loadInspect()
  const sockets = new Set<WebSocket>()
  const shows = new Set<Promise<void>>()
  const stopped = new AbortController()
  let dropped = 0

  const show = async (socket: WebSocket) => {
    const gone = new AbortController()
    sockets.add(socket)
    socket.on('close', () => {
      sockets.delete(socket)
      gone.abort()
    })
    let sent = Promise.resolve()
    const send = (message: StatelyMessage) => {
      sent = new Promise((resolve) => socket.send(JSON.stringify(message), () => resolve()))
    }
    const messages = new StatelyMessages(createInspector, send)
    for await (const entries of journal.read({
      most: 500,
      gatherMs: 20,
      signal: AbortSignal.any([gone.signal, stopped.signal]),
      onDropped: (count) => (dropped += count),
    })) {
      if (gone.signal.aborted) return
      for (const entry of entries) messages.take(entry)
      // The next batch is fetched when this one is out: what a viewer cannot take stays with the journal, or is dropped there.
      await sent
    }
    socket.close(1000)
  }

  const onViewer = (socket: WebSocket) => {
    const shown = show(socket)
      .catch((thrown: unknown) => {
        warn(logger, `A viewer of the inspector was given up: ${describeThrown(thrown)}`)
        socket.terminate()
      })
      .finally(() => shows.delete(shown))
    shows.add(shown)
  }
  const server = await startViewerServer({ port, inspectorUrl, onViewer })
  const finish = async () => {
    stopped.abort()
    let patience: unknown
    // What is there goes out; a viewer that does not take it is not waited for.
    await Promise.race([Promise.all(shows), new Promise<void>((resolve) => (patience = systemClock.setTimeout(resolve, patienceMs)))])
    systemClock.clearTimeout(patience)
    await server.close()
  }
  let closed: Promise<void> | undefined
  const close = () => (closed ??= finish())
  if (autoOpen) openBrowser(server.url, logger)
  return {
    url: server.url,
    webSocketUrl: server.webSocketUrl,
    get viewers() {
      return sockets.size
    },
    get dropped() {
      return dropped
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

function pageUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed?.protocol !== 'https:' && parsed?.protocol !== 'http:') throw invalid('url', 'the http or https address of an inspector', url)
  return parsed
}

async function loadInspect(): Promise<{ readonly createInspector: CreateInspector }> {
  try {
    return await import('@statelyai/inspect')
  } catch (cause) {
    throw new SubagentError(
      'INVALID_REQUEST',
      `statelyInspector needs the package @statelyai/inspect, which cannot be loaded: ${describeThrown(cause)}. Run: npm install @statelyai/inspect`,
      { cause },
    )
  }
}

function openBrowser(url: string, logger: Logger): void {
  const [program, ...lead] = process.platform === 'darwin' ? ['open'] : process.platform === 'win32' ? ['explorer'] : ['xdg-open']
  execFile(program!, [...lead, url], (error) => {
    if (error) warn(logger, `No browser could be opened (${error.message}). Open ${url} yourself.`)
  })
}
