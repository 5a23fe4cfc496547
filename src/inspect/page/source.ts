/** Where a page's entries come from: a journal that goes on, or a recording. */
import { basename } from 'node:path'
import type { Clock } from '../../types.ts'
import type { JournalEntry } from '../entries.ts'
import type { Journal } from '../journal.ts'
import type { ReadOptions } from '../log.ts'
import type { RecordedJournal } from '../read.ts'
import type { PageHello } from './protocol.ts'

export interface PageSource {
  readonly hello: Omit<PageHello, 'now' | 'canAnswer'>
  /** From the first entry that is there, to the end; each viewer anew. */
  read(options: ReadOptions): AsyncIterable<readonly JournalEntry[]>
}

const batch = 1000

export function liveSource(journal: Journal): PageSource {
  return { hello: { mode: 'live' }, read: (options) => journal.read({ most: batch, gatherMs: 25, ...options }) }
}

export function recordedSource({ file, entries, isTorn }: RecordedJournal, clock: Clock): PageSource {
  return {
    hello: { mode: 'replay', file: basename(file), entries: entries.length, isTorn },
    async *read({ signal }) {
      for (let index = 0; index < entries.length && !signal?.aborted; index += batch) {
        yield entries.slice(index, index + batch)
        // Others get their turn.
        await new Promise<void>((resolve) => void clock.setTimeout(resolve, 0))
      }
    },
  }
}
