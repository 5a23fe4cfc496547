/**
 * The journal of a service: one stream of what its registry, its runs and their children do, for a page, a file or a viewer.
 *
 * Owns: who is told what, and that nothing is told that should not be. Does not own: any decision; a journal that fails is
 * a warning and no more. Contract: I2–I4.
 */
import type { AnyActorRef, InspectionEvent } from 'xstate'
import { contain } from '../run/contain.ts'
import { stderrLogger, systemClock } from '../run/defaults.ts'
import { invalid } from '../run/request.ts'
import type { SubagentService } from '../service.ts'
import type { Clock, Logger, SubagentLifecycleEvent } from '../types.ts'
import { Actors } from './actors.ts'
import type { LabelOption } from './actors.ts'
import { createCleaner, processEnv } from './clean.ts'
import { journalVersion } from './entries.ts'
import type { JournalEntry } from './entries.ts'
import { lifecycleEntry } from './lifecycle.ts'
import { EntryLog } from './log.ts'
import type { ReadOptions } from './log.ts'

/** What of the runs is told, and how much of it is kept. */
export interface JournalOptions {
  /**
   * Also tells what was said: texts, outputs, plans, tool input, messages of failures, what events carry. Known secrets and
   * what looks like a key are taken out all the same; of a text that comes in pieces, what looks like a key in each piece for itself.
   * @default false
   */
  readonly content?: boolean
  /**
   * Labels of runs. A label is display text: whoever starts a run decides what it shows. `false` leaves them out, a function
   * says what stands in their place. What looks like a key is taken out. @default true
   */
  readonly labels?: LabelOption
  /** Entries that are kept for readers who come late or are slow. @default 10000 */
  readonly limit?: number
  /** Values of these variables are kept out, where their names say that they are secrets. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** @default warnings to stderr */
  readonly logger?: Logger
  /** @default the system's */
  readonly clock?: Clock
}

/** Whoever makes a journal closes it. */
export interface Journal extends Disposable {
  /** True where it also tells what was said. */
  readonly content: boolean
  /**
   * Reads from here on: first what is live with its charts and states, and what led there as far as it is kept; then what
   * follows, in batches, until the journal is closed. Any number of readers; each is handed what it asks for, when it asks.
   * One that is too slow misses entries, and is told so by a `dropped` entry, after which what is live is told again.
   */
  read(options?: ReadOptions): AsyncIterable<readonly JournalEntry[]>
  /** Stops watching and lets the readers come to their end. Idempotent. */
  close(): void
}

/**
 * Watches a service from now on. What it tells holds no prompt, no text, no tool input or output, no environment and no
 * message of an error, unless `content` is true; names are told: run ids, agents, providers, tools, states, events.
 *
 * Costs every event of the registry's actors a few microseconds; nothing where there is no journal.
 *
 * @throws SubagentError INVALID_REQUEST naming the option
 */
export function createJournal(service: SubagentService, options: JournalOptions = {}): Journal {
  const { content = false, labels = true, limit = 10_000, env = processEnv(), logger = stderrLogger, clock = systemClock } = options
  if (typeof service?.ref?.system?.inspect !== 'function') throw invalid('service', 'a service of createSubagentService', service)
  if (!Number.isSafeInteger(limit) || limit < 1) throw invalid('limit', 'a whole number from 1', limit)
  const log = new EntryLog(limit, clock)
  const clean = createCleaner(env)
  log.push({ type: 'journal', version: journalVersion, content })
  const actors = new Actors({ registry: service.ref as AnyActorRef, clean, labels, content, emit: (entry) => log.push(entry) })
  const tell = (event: SubagentLifecycleEvent) => {
    const entry = lifecycleEntry(event, { actors, clean, content })
    if (entry) log.push(entry)
  }
  for (const name of service.list()) tell({ type: 'subagent/provider-added', name, provider: service.getProvider(name)! })
  // An observer that throws wedges the actor that it watches, and a listener of provider-added refuses the provider.
  const watched = service.ref.system.inspect((event: InspectionEvent) => contain(logger, 'The journal', () => actors.observe(event)))
  const heard = service.on('*', (event) => contain(logger, 'The journal', () => tell(event)))
  const close = () => {
    watched.unsubscribe()
    heard.unsubscribe()
    log.close()
  }
  return { content, read: (reading) => log.read(reading), close, [Symbol.dispose]: close }
}
