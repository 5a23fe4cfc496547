import { createSubagentService, rootAgent } from '../../src/index.ts'
import type { SubagentService, SubagentServiceOptions } from '../../src/index.ts'
import { applyEntry, createJournal, emptyJournalState } from '../../src/inspect/index.ts'
import type { Journal, JournalEntry, JournalOptions, JournalState, ReadOptions } from '../../src/inspect/index.ts'
import { collectLogger } from '../providers/collect.ts'

export const request = { parent: rootAgent({ cwd: '/project' }), prompt: 'Count.' }

export interface Watched {
  readonly service: SubagentService
  readonly journal: Journal
  readonly warnings: string[]
}

/** A service with a journal, in an environment without secrets. */
export function watched(options: SubagentServiceOptions, journalOptions: JournalOptions = {}): Watched {
  const logger = collectLogger()
  const service = createSubagentService({ logger, ...options })
  const journal = createJournal(service, { logger, env: {}, ...journalOptions })
  return { service, journal, warnings: logger.warnings }
}

/** All that a journal has to tell, once nothing more will come. */
export async function entriesOf(journal: Journal, options?: ReadOptions): Promise<JournalEntry[]> {
  journal.close()
  const entries: JournalEntry[] = []
  for await (const batch of journal.read(options)) entries.push(...batch)
  return entries
}

export const fold = (entries: readonly JournalEntry[]): JournalState => entries.reduce(applyEntry, emptyJournalState)

/** An entry in a few words: who, what, and the state. */
export function inWords(entry: JournalEntry): string {
  const value = 'value' in entry && entry.value !== undefined ? ` ${JSON.stringify(entry.value).replace(/[{}"]/g, '')}` : ''
  if (entry.type === 'actor') return `actor ${entry.kind} ${entry.name}${value}`
  if (entry.type === 'event') return `event ${entry.event}`
  if (entry.type === 'snapshot') return `snapshot ${entry.status}${value}`
  if (entry.type === 'update') return `update ${entry.update.type}`
  if (entry.type === 'end') return `end ${entry.stopReason}`
  if (entry.type === 'provider') return `provider ${entry.added ? '+' : '-'}${entry.provider}`
  if (entry.type === 'chart') return `chart ${entry.chart}`
  if (entry.type === 'dropped') return `dropped ${entry.count}`
  return entry.type
}
