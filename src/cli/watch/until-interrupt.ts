/** What stays after its work is done, for somebody to look at, until Ctrl-C. */
import { SubagentError } from '../../index.ts'
import type { CliIo } from '../io.ts'
import { UsageError } from '../usage-error.ts'

/** @param text what is said of it */
export async function untilInterrupt(io: CliIo, say: (text: string) => void, text: string): Promise<void> {
  await new Promise<void>((resolve) => {
    const stopListening = [io.onInterrupt(end), io.onReaderGone(end)]
    say(text)
    function end(): void {
      for (const stop of stopListening) stop()
      resolve()
    }
  })
}

/** For what was asked for by a flag and cannot be had. */
export const asUsage =
  (flag: string) =>
  (error: unknown): never => {
    if (SubagentError.is(error, 'INVALID_REQUEST')) throw new UsageError(`${flag}: ${error.message}`, { cause: error })
    throw error
  }
