/**
 * What watches a task from outside: a recording of its journal, a viewer in a browser. Contract: I2, I4.
 */
import { createJournal, recordJournal, statelyInspector, type Journal, type Recording, type StatelyInspector } from '../../inspect/index.ts'
import { SubagentError, type SubagentService } from '../../index.ts'
import type { Logger } from '../../types.ts'
import type { CliIo } from '../io.ts'
import type { TaskOptions } from '../task-options.ts'
import { UsageError } from '../usage-error.ts'

export interface Watching {
  /** Where to look; absent where there is nothing to look at. */
  readonly note?: string
  /** Where somebody can look, resolves when the user has seen enough, which is Ctrl-C; else at once. */
  whenSeen(say: (text: string) => void): Promise<void>
  /** After the service was closed, so that its end is told too. */
  close(): Promise<void>
}

/** @throws UsageError where it cannot be recorded, or shown */
export async function startWatching(
  service: SubagentService,
  { record, inspect }: Pick<TaskOptions, 'record' | 'inspect'>,
  io: CliIo,
  logger: Logger,
): Promise<Watching> {
  if (record === undefined && inspect === undefined) return { whenSeen: () => Promise.resolve(), close: () => Promise.resolve() }
  // The label of the uppermost run is the head of the task, which is a prompt.
  const labels = ({ label, isRoot }: { label: string; isRoot: boolean }) => (isRoot ? 'task' : label)
  const journal = createJournal(service, { env: io.env, logger, labels })
  let recording: Recording | undefined
  let inspector: StatelyInspector | undefined
  const close = async () => {
    await recording?.close()
    await inspector?.close()
    journal.close()
  }
  try {
    recording = record === undefined ? undefined : await startRecording(journal, record, logger)
    inspector = inspect === undefined ? undefined : await startInspector(journal, logger)
  } catch (error) {
    await close()
    throw error
  }
  return {
    ...(inspector && { note: `Inspector: ${inspector.url}  (open it in a browser that can reach stately.ai)` }),
    whenSeen: inspector ? (say) => untilInterrupt(io, say) : () => Promise.resolve(),
    close,
  }
}

function startRecording(journal: Journal, file: string, logger: Logger): Promise<Recording> {
  return recordJournal(journal, file, { logger }).catch(asUsage('--record'))
}

function startInspector(journal: Journal, logger: Logger): Promise<StatelyInspector> {
  return statelyInspector({ journal, logger }).catch(asUsage('--inspect=stately'))
}

const asUsage =
  (flag: string) =>
  (error: unknown): never => {
    if (SubagentError.is(error, 'INVALID_REQUEST')) throw new UsageError(`${flag}: ${error.message}`, { cause: error })
    throw error
  }

async function untilInterrupt(io: CliIo, say: (text: string) => void): Promise<void> {
  say('The inspector stays until Ctrl-C.')
  await new Promise<void>((resolve) => {
    const stopListening = [io.onInterrupt(end), io.onReaderGone(end)]
    function end(): void {
      for (const stop of stopListening) stop()
      resolve()
    }
  })
}
