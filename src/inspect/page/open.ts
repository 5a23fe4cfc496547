/**
 * Runs in a page of one's own: served by this process, on this machine alone, without the internet. It follows what a journal
 * tells, or shows a recording (I3).
 */
import { contain, describeThrown, warn } from '../../run/contain.ts'
import { stderrLogger, systemClock } from '../../run/defaults.ts'
import { invalid } from '../../run/request.ts'
import type { SubagentService } from '../../service.ts'
import type { Clock, Logger } from '../../types.ts'
import { createCleaner, processEnv } from '../clean.ts'
import { createJournal } from '../journal.ts'
import type { Journal } from '../journal.ts'
import type { RecordedJournal } from '../read.ts'
import { readAssets } from './assets.ts'
import { feed } from './feed.ts'
import { createLayouts } from './layout/layouts.ts'
import type { PagePermissions } from './permissions.ts'
import { startPageServer } from './server.ts'
import { liveSource, recordedSource } from './source.ts'
import type { PageSource } from './source.ts'

/** Where the page is served, and what can be answered in it. */
export interface InspectPageOptions {
  /** On 127.0.0.1. @default one that is free */
  readonly port?: number
  /** Where children ask for permissions, to be answered in the page. @default they are shown, and cannot be answered there */
  readonly permissions?: PagePermissions
  /** Values of these variables are kept out of questions, where their names say that they are secrets. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** @default warnings to stderr */
  readonly logger?: Logger
  /** @default the system's */
  readonly clock?: Clock
}

/** Whoever opens one closes it. */
export interface InspectPage extends AsyncDisposable {
  /** To be opened in a browser of this machine. Whoever has it sees what the journal tells, and may answer: it is to be kept. */
  readonly url: string
  /** How many are watching. */
  readonly viewers: number
  /** Entries that viewers were too slow for, all viewers together. What is live was told to them again each time. */
  readonly dropped: number
  /** Viewers get what has come until now. Idempotent, never rejects. */
  close(): Promise<void>
}

/**
 * Serves the page to any number of viewers. One who comes late, or loads it again, gets the present state and what led there as
 * far as the journal keeps it; one who is slow misses entries, and sees how many.
 *
 * @param shown a service, which is watched from now on without content; a journal, which decides itself what it tells and is
 * left open; or what `readJournal` gave
 * @throws SubagentError INVALID_REQUEST naming the option, where the port cannot be had
 */
export async function openInspectPage(
  shown: SubagentService | Journal | RecordedJournal,
  options: InspectPageOptions = {},
): Promise<InspectPage> {
  const { port = 0, permissions, env = processEnv(), logger = stderrLogger, clock = systemClock } = options
  if (!Number.isSafeInteger(port) || port < 0 || port > 65_535) throw invalid('port', 'a port from 0 to 65535', port)
  const assets = await readAssets()
  const { source, release } = sourceOf(shown, { env, logger, clock })
  const clean = createCleaner(env)
  const layouts = createLayouts()
  const stopped = new AbortController()
  const shows = new Set<Promise<void>>()
  let viewers = 0
  let dropped = 0

  async function* show(gone: AbortSignal): AsyncGenerator<string, void, undefined> {
    let ended = () => {}
    const shown = new Promise<void>((resolve) => (ended = resolve))
    shows.add(shown)
    viewers++
    try {
      yield* feed({ source, layouts, permissions, clean, clock, stop: stopped.signal, gone, onDropped: (count) => (dropped += count) })
    } catch (thrown) {
      warn(logger, `A viewer of the page was given up: ${describeThrown(thrown)}`)
    } finally {
      viewers--
      shows.delete(shown)
      ended()
    }
  }
  const server = await startPageServer({
    port,
    assets,
    clock,
    feed: show,
    answer: ({ runId, requestId, optionId }) => {
      let taken = false
      contain(logger, 'An answer of the page', () => void (taken = permissions?.answer(runId, requestId, optionId) === true))
      return taken
    },
  }).catch(async (error: unknown) => {
    release()
    throw error
  })
  const finish = async () => {
    stopped.abort()
    await server.close()
    await layouts.close()
    release()
  }
  let closed: Promise<void> | undefined
  const close = () =>
    (closed ??= finish().catch((thrown: unknown) => warn(logger, `The page did not close in good order: ${describeThrown(thrown)}`)))
  return {
    url: server.url,
    get viewers() {
      return viewers
    },
    get dropped() {
      return dropped
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

function sourceOf(
  shown: SubagentService | Journal | RecordedJournal,
  options: { env: Readonly<Record<string, string | undefined>>; logger: Logger; clock: Clock },
): { source: PageSource; release: () => void } {
  if (typeof shown === 'object' && shown !== null) {
    if ('entries' in shown && Array.isArray(shown.entries)) return { source: recordedSource(shown, options.clock), release: () => {} }
    if ('read' in shown && typeof shown.read === 'function') return { source: liveSource(shown), release: () => {} }
    if ('ref' in shown) {
      const journal = createJournal(shown, options)
      return { source: liveSource(journal), release: () => journal.close() }
    }
  }
  throw invalid('openInspectPage', 'given a service, a journal, or what readJournal gave', shown)
}
