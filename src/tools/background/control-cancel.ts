/** `subagent_cancel`: asks a run to stop; its end is noticed as any other (T11). */
import type { RunControl } from './control.ts'

export const cancelRun: RunControl = (run, { binding, input }) => {
  const { id, finished } = run
  const { reason } = input
  if (!finished) run.cancel(typeof reason === 'string' && reason !== '' ? reason : 'its parent does not need it any more')
  const text = finished
    ? `Run ${id} had ended already: ${finished.stopReason}.`
    : `Run ${id} is being stopped. You are told when it has ended; ${binding.toolName}_result then reads what it had written.`
  return { isError: false, content: [{ type: 'text', text }] }
}
