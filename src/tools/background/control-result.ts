/** `subagent_result`: the answer, or how far it is; waiting for it, bounded (T11, T12). */
import { cutText, textFrom } from '../cut.ts'
import { errorResult, textOf } from '../outcome.ts'
import type { SubagentToolResult } from '../outcome.ts'
import { limitResult } from '../output-limit.ts'
import { defaultWaitMs } from './control.ts'
import type { RunControl } from './control.ts'
import { elapsed } from './elapsed.ts'
import type { BackgroundRun } from './run.ts'

export const readResult: RunControl = async (run, { binding, input, signal }) => {
  const { maxWaitMs } = binding.background!
  // Models that have to name every field give null for what they leave out.
  const timeoutMs = input['timeout_ms'] ?? Math.min(defaultWaitMs, maxWaitMs)
  const offset = input['offset'] ?? undefined
  if (!isCount(timeoutMs)) return errorResult('timeout_ms must be whole milliseconds from 0. Call the tool again with that.')
  if (offset !== undefined && !isCount(offset))
    return errorResult('offset must be a whole number of bytes from 0. Call the tool again with that.')
  await run.wait(Math.min(timeoutMs, maxWaitMs), signal)
  const { answer } = run
  if (!answer && signal?.aborted) return errorResult(`The call was cancelled while it waited. Run ${run.id} goes on.`)
  if (!answer) return progress(run, binding.maxOutputBytes)
  const { result } = answer
  if (offset !== undefined) return from(result, offset, binding.maxOutputBytes)
  return limitResult(result, binding.maxOutputBytes, ', read on with offset')
}

function progress(run: BackgroundRun, limitBytes: number): SubagentToolResult {
  const { id, state, text } = run
  const head = `Run ${id} has not ended yet: it is ${state}, after ${elapsed(run.elapsedMs)}.`
  const written =
    text === '' ? 'It has written nothing so far.' : `What it has written so far:\n${cutText(text, limitBytes - head.length - 100)}`
  return { isError: false, content: [{ type: 'text', text: `${head} ${written}` }] }
}

/** A piece of the answer's text, with its place; it starts and ends between code points. */
function from({ isError, content }: SubagentToolResult, offset: number, limitBytes: number): SubagentToolResult {
  const { text, from: start, to, all } = textFrom(textOf(content), offset, limitBytes - 200)
  const rest = to < all ? `; go on with offset ${to}` : ', which is the end'
  return { isError, content: [{ type: 'text', text: `[bytes ${start} to ${to} of ${all}${rest}]\n${text}` }] }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
