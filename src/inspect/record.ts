/**
 * A journal in a file, as JSON Lines, one entry a line, while it goes on (I4).
 *
 * The file is the owner's alone (0600). Entries are written in batches; a disk that is slow, full or gone costs entries and
 * never a run: what was missed stands in the file, what failed is a warning.
 */
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { SubagentError } from '../errors.ts'
import { warn } from '../run/contain.ts'
import { reasonOf } from '../run/system-errors.ts'
import { stderrLogger } from '../run/defaults.ts'
import type { Logger } from '../types.ts'
import type { Journal } from './journal.ts'
import { isJournalStart } from './read.ts'

/** How a journal is written to its file. */
export interface RecordJournalOptions {
  /** How long entries are gathered before they are written, in milliseconds; as much is lost where the process is killed. @default 50 */
  readonly gatherMs?: number
  /** @default warnings to stderr */
  readonly logger?: Logger
}

/** Whoever makes a recording closes it. */
export interface Recording extends AsyncDisposable {
  /** The path, as it was given. */
  readonly file: string
  /** Entries that the disk was too slow for. */
  readonly dropped: number
  /** True once writing has failed; what had been written by then stays. */
  readonly failed: boolean
  /** Writes what has come until now and closes the file. Idempotent, never rejects. */
  close(): Promise<void>
}

/**
 * Writes a journal to a file from here on, in place of an older recording that may be there.
 *
 * @throws SubagentError INVALID_REQUEST where the file cannot be written, or is there and is no journal
 */
export async function recordJournal(journal: Journal, file: string, options: RecordJournalOptions = {}): Promise<Recording> {
  const { gatherMs = 50, logger = stderrLogger } = options
  const handle = await openForJournal(file)
  const stopped = new AbortController()
  const state = { dropped: 0, failed: false }
  const onDropped = (count: number) => void (state.dropped += count)
  const write = async () => {
    try {
      for await (const entries of journal.read({ gatherMs, signal: stopped.signal, onDropped }))
        await handle.appendFile(`${entries.map((entry) => JSON.stringify(entry)).join('\n')}\n`)
    } catch (thrown) {
      state.failed = true
      warn(logger, `The recording ${file} ends here: ${reasonOf(thrown)} The runs go on.`)
    }
    await handle.close().catch((thrown: unknown) => {
      state.failed = true
      warn(logger, `The recording ${file} may not be whole: ${reasonOf(thrown)}`)
    })
    if (state.dropped > 0)
      warn(logger, `The recording ${file} misses ${state.dropped} entries: they came faster than they could be written.`)
  }
  const written = write()
  const close = () => {
    stopped.abort()
    return written
  }
  return {
    file,
    get dropped() {
      return state.dropped
    },
    get failed() {
      return state.failed
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function openForJournal(file: string): Promise<FileHandle> {
  let handle: FileHandle | undefined
  try {
    handle = await open(file, constants.O_RDWR | constants.O_CREAT, 0o600)
    const stat = await handle.stat()
    if (!stat.isFile()) return handle
    if (stat.size > 0 && !(await startsAsJournal(handle))) {
      throw new SubagentError(
        'INVALID_REQUEST',
        `${file} is there and is no recording; it is left as it is. Give a file that is not there yet, or an older recording.`,
      )
    }
    // The mode of open counts for a new file only.
    await handle.chmod(0o600)
    await handle.truncate(0)
    return handle
  } catch (cause) {
    await handle?.close().catch(() => {})
    if (SubagentError.is(cause)) throw cause
    throw new SubagentError('INVALID_REQUEST', `${file} cannot be written: ${reasonOf(cause)} Give a file in a folder that is there.`, {
      cause,
    })
  }
}

async function startsAsJournal(handle: FileHandle): Promise<boolean> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(200), 0, 200, 0)
  return isJournalStart(buffer.toString('utf8', 0, bytesRead))
}
