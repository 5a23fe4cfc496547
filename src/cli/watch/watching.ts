/**
 * What watches a task from outside: a recording of its journal, a viewer in a browser. Contract: I2, I4.
 */
import {
  createJournal,
  createPermissionDesk,
  openInspectPage,
  recordJournal,
  statelyInspector,
  type Journal,
  type PermissionDesk,
  type Recording,
} from '../../inspect/index.ts'
import type { SubagentService } from '../../index.ts'
import type { Logger } from '../../types.ts'
import type { CliIo } from '../io.ts'
import type { TaskOptions, Viewer } from '../task-options.ts'
import { asUsage, untilInterrupt } from './until-interrupt.ts'

export interface Watching {
  /** Where to look; absent where there is nothing to look at. */
  readonly note?: string
  /** Where what children ask to be allowed can be answered; absent where nothing is shown that can. */
  readonly permissions?: PermissionDesk
  /** Where somebody can look, resolves when the user has seen enough, which is Ctrl-C; else at once. */
  whenSeen(say: (text: string) => void): Promise<void>
  /** After the service was closed, so that its end is told too. */
  close(): Promise<void>
}

/** Something that shows a journal. */
interface Shown {
  readonly note: string
  /** Said when the task has ended. */
  readonly stays: string
  readonly permissions?: PermissionDesk
  close(): Promise<void>
}

/** Entries: a viewer may come, or load its page again, long after a run began. */
const keptForViewers = 50_000

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
  const journal = createJournal(service, { env: io.env, logger, labels, ...(inspect && { limit: keptForViewers }) })
  let recording: Recording | undefined
  let shown: Shown | undefined
  const close = async () => {
    await recording?.close()
    await shown?.close()
    journal.close()
  }
  try {
    recording = record === undefined ? undefined : await startRecording(journal, record, logger)
    shown = inspect === undefined ? undefined : await viewerStarts[inspect](journal, io, logger)
  } catch (error) {
    await close()
    throw error
  }
  return {
    ...(shown && { note: shown.note }),
    ...(shown?.permissions && { permissions: shown.permissions }),
    whenSeen: shown ? (say) => untilInterrupt(io, say, shown.stays) : () => Promise.resolve(),
    close,
  }
}

function startRecording(journal: Journal, file: string, logger: Logger): Promise<Recording> {
  return recordJournal(journal, file, { logger }).catch(asUsage('--record'))
}

const viewerStarts: Readonly<Record<Viewer, (journal: Journal, io: CliIo, logger: Logger) => Promise<Shown>>> = {
  page: async (journal, io, logger) => {
    const permissions = createPermissionDesk()
    const { url, close } = await openInspectPage(journal, { env: io.env, logger, permissions }).catch(asUsage('--inspect'))
    return {
      note: `Page: ${url}`,
      stays: 'The page stays until Ctrl-C.',
      permissions,
      close: () => {
        permissions.close()
        return close()
      },
    }
  },
  stately: async (journal, _, logger) => {
    const { url, close } = await statelyInspector({ journal, logger }).catch(asUsage('--inspect=stately'))
    return {
      note: `Inspector: ${url}  (open it in a browser that can reach stately.ai)`,
      stays: 'The inspector stays until Ctrl-C.',
      close,
    }
  },
}
