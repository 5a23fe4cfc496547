/** `run_in_background: true`: a run that goes on when its call has answered (T11). */
import type { Binding } from '../binding.ts'
import { messageOf, startRun } from '../call.ts'
import type { Order, SubagentToolCall } from '../call.ts'
import { errorResult } from '../outcome.ts'
import type { SubagentToolResult } from '../outcome.ts'
import { bookOf } from './book.ts'
import { BackgroundRun } from './run.ts'

/** The id of the run. The signal of the call ends with the call, so it is not the run's. */
export function startInBackground(binding: Binding, order: Order, { abortSignal }: SubagentToolCall): SubagentToolResult {
  if (abortSignal?.aborted) return errorResult('The subagent was not started: the call was cancelled before.')
  const { service, toolName, background } = binding
  const book = bookOf(service, order.parent)
  try {
    const run = new BackgroundRun(
      binding,
      order,
      () => startRun(binding, order),
      (ended) => book.ended(ended, background!.keepEnded),
    )
    book.add(run)
    const text = `Started in the background. Its run id is ${run.id}. You are told when it has ended; ${toolName}_result reads its answer or waits for it.`
    return { isError: false, content: [{ type: 'text', text }] }
  } catch (thrown) {
    return errorResult(messageOf(thrown))
  }
}
