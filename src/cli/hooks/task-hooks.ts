/** `--hooks FILE`: the hooks of a task, and the wait for those that outlast it. Contract: H1–H7. */
import type { Agents } from '../../agents/index.ts'
import { createHooksBridge } from '../../hooks/index.ts'
import type { SubagentService } from '../../index.ts'
import type { Logger } from '../../types.ts'
import type { CliIo } from '../io.ts'
import type { HooksFile } from './hooks-file.ts'

/** After this a person is told what is waited for, in milliseconds. */
const noticeAfterMs = 2000

export interface TaskHooks {
  /** Waits for the hooks that run or wait; Ctrl-C ends them. */
  finish(): Promise<void>
  /** Ends what still runs. */
  dispose(): Promise<void>
}

export interface TaskHooksOptions {
  readonly file: HooksFile
  readonly service: SubagentService
  /** Those of this process. */
  readonly agents?: Agents
  /** The names that children go by, where they were chosen from a list; their runs are labelled with them. */
  readonly agentNames: readonly string[]
  readonly logger: Logger
  readonly io: CliIo
}

export function taskHooks({ file, service, agents, agentNames, logger, io }: TaskHooksOptions): TaskHooks {
  const bridge = createHooksBridge({
    service,
    ...(agents && { agents }),
    config: file.path,
    logger,
    // The agent that gets the task, at depth 1, is none of them, whatever its label begins with.
    agentType: (_, request) =>
      request && request.depth > 1 ? agentNames.find((name) => request.label?.startsWith(`${name}: `)) : undefined,
  })
  return {
    async finish() {
      const cancelNotice = io.after(noticeAfterMs, () => io.stderr.write('Waiting for hooks to end. Ctrl-C ends them.\n'))
      const stopListening = io.onInterrupt(() => void bridge.dispose())
      try {
        await bridge.idle()
      } finally {
        cancelNotice()
        stopListening()
      }
    },
    dispose: () => bridge.dispose(),
  }
}
