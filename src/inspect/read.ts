/**
 * A recorded journal, read and checked (I4).
 */
import { open } from 'node:fs/promises'
import { SubagentError } from '../errors.ts'
import { reasonOf } from '../run/system-errors.ts'
import { entryProblem } from './check-entry.ts'
import type { JournalEntry } from './entries.ts'
import { journalStateAt } from './state.ts'
import type { JournalState } from './state.ts'

/** A journal as it was read from a file; all in memory, with nothing to close. */
export interface RecordedJournal {
  /** The path, as it was given. */
  readonly file: string
  /** Oldest first. */
  readonly entries: readonly JournalEntry[]
  /** True where the last line is not whole: the process that wrote it was killed. That line is left out. */
  readonly isTorn: boolean
  /** The state after the first `count` entries. @default all of them */
  stateAt(count?: number): JournalState
}

/** True for the beginning of a file that `recordJournal` wrote. */
export function isJournalStart(text: string): boolean {
  return /^\{"seq":\d+,"at":\d+(?:\.\d+)?,"type":"journal",/.test(text)
}

/**
 * @throws SubagentError INVALID_REQUEST where the file cannot be read, and with file and line where it is no journal
 */
export async function readJournal(file: string): Promise<RecordedJournal> {
  const entries: JournalEntry[] = []
  let number = 0
  let torn: SubagentError | undefined
  for await (const line of linesOf(file)) {
    number++
    // Only the last line may be broken, and no line comes after it.
    if (torn) throw torn
    if (line.trim() === '') continue
    const entry = parse(line)
    if (entry === undefined) {
      torn = broken(file, number, 'is not JSON')
      continue
    }
    const problem =
      number === 1 && (entry as { type?: unknown }).type !== 'journal' ? 'is not the first line of a journal' : entryProblem(entry)
    if (problem !== undefined) throw broken(file, number, problem)
    entries.push(entry as JournalEntry)
  }
  if (entries.length === 0) throw torn ?? broken(file, 1, 'is not there: the file is empty')
  return { file, entries, isTorn: torn !== undefined, stateAt: (count) => journalStateAt(entries, count) }
}

async function* linesOf(file: string): AsyncGenerator<string, void, undefined> {
  try {
    await using handle = await open(file, 'r')
    yield* handle.readLines({ encoding: 'utf8', autoClose: false })
  } catch (cause) {
    if (SubagentError.is(cause)) throw cause
    throw new SubagentError(
      'INVALID_REQUEST',
      `${file} cannot be read: ${reasonOf(cause)} Give a file that recordJournal or --record wrote.`,
      {
        cause,
      },
    )
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function broken(file: string, line: number, problem: string): SubagentError {
  return new SubagentError('INVALID_REQUEST', `${file}:${line} ${problem}. Give a file that recordJournal or --record wrote.`)
}
