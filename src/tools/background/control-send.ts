/** `subagent_send`: steers a run that works, resumes one that has ended (T11). */
import type { Agent } from '../../types.ts'
import { messageOf } from '../call.ts'
import { errorResult } from '../outcome.ts'
import type { SubagentToolResult } from '../outcome.ts'
import type { RunControl } from './control.ts'

export const sendToRun: RunControl = async (run, { binding, parent, book, input }) => {
  const { message } = input
  if (typeof message !== 'string' || message.trim() === '')
    return errorResult('message must be a string that is not empty. Call the tool again with one.')
  const { id } = run
  const { toolName } = binding
  // Between its outcome and its release it takes neither messages nor a resume; the graces bound that.
  if (run.isSettling) await run.whenEnded
  const { finished } = run
  if (!finished) {
    if (!run.canTakeMessages)
      return errorResult(
        `Run ${id} takes no messages while it is ${run.state}. Wait for its end with ${toolName}_result, or stop it with ${toolName}_cancel and delegate again.`,
      )
    run.send(message)
    return said(`Run ${id} has the message.`)
  }
  if (!run.canResume)
    return errorResult(
      `Run ${id} has ended (${finished.stopReason}) and cannot go on. Delegate again with ${toolName}, and put into the prompt what it needs of this run's answer.`,
    )
  if (run.parent === parent || (run.parent as Partial<Agent>).status !== 'disposed') run.resume(message)
  else
    try {
      run.resumeFor(parent, message)
    } catch (thrown) {
      return errorResult(
        `Run ${id} was started before this session was resumed, by an agent that is gone, and cannot go on: ${messageOf(thrown)} Delegate again with ${toolName}; ${toolName}_result still reads its answer.`,
      )
    }
  book.resumed(run)
  return said(`Run ${id} goes on with the message. You are told when it has ended again.`)
}

const said = (text: string): SubagentToolResult => ({ isError: false, content: [{ type: 'text', text }] })
