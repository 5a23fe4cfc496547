/**
 * A foreground call: a run, what it does meanwhile, and its answer (T5–T8, T12, T15).
 *
 * Invariants: the run is disposed however the reading of its progress ends (T6); what is told of it costs nothing where nobody
 * looks, and never decides anything.
 */
import { contain } from '../run/contain.ts'
import type { SubagentRun } from '../types.ts'
import type { Binding } from './binding.ts'
import { finishRun, messageOf, startRun } from './call.ts'
import type { Order, SubagentToolCall } from './call.ts'
import { errorResult } from './outcome.ts'
import type { SubagentToolResult } from './outcome.ts'
import { limitResult } from './output-limit.ts'
import type { RunNode } from './progress/node.ts'
import { progressOf } from './progress/snapshot.ts'
import type { SubagentProgress } from './progress/snapshot.ts'
import { Ticker } from './progress/ticker.ts'
import { watchOf } from './progress/watch.ts'

/** The answer alone. Never rejects. */
export async function answer(binding: Binding, order: Order, { abortSignal }: SubagentToolCall): Promise<SubagentToolResult> {
  let run: SubagentRun
  try {
    run = startRun(binding, order, abortSignal)
  } catch (thrown) {
    return errorResult(messageOf(thrown))
  }
  return limitResult((await finishRun(run, binding)).result, binding.maxOutputBytes)
}

/**
 * Yields what the child does, and returns the answer. Never throws; whoever stops reading ends the run.
 * @param left aborts when nobody reads any more; a generator alone hears of that only after its next value
 */
export async function* follow(
  binding: Binding,
  order: Order,
  { abortSignal }: SubagentToolCall,
  intervalMs: number,
  left?: AbortSignal,
): AsyncGenerator<SubagentProgress, SubagentToolResult, undefined> {
  const watch = watchOf(binding.service)
  let run: SubagentRun
  let node: RunNode
  try {
    ;({ run, node } = watch.start(() => startRun(binding, order, abortSignal), order.input.description, binding.maxOutputBytes))
  } catch (thrown) {
    return errorResult(messageOf(thrown))
  }
  const ticker = new Ticker(binding.clock, intervalMs)
  node.onChange = () => ticker.changed()
  let isFinished = false
  const finished = finishRun(run, binding).then(({ result }) => {
    isFinished = true
    ticker.end()
    return limitResult(result, binding.maxOutputBytes)
  })
  const leave = (): void => {
    run.cancel('nobody waits for the answer any more')
    ticker.end()
  }
  left?.addEventListener('abort', leave, { once: true })
  try {
    // What comes after an abort is no answer any more.
    while (await ticker.next()) if (!abortSignal?.aborted) yield progressOf(node, run.ref, order.agent.name)
    return await finished
  } finally {
    left?.removeEventListener('abort', leave)
    watch.release(node)
    if (!isFinished) {
      leave()
      await finished
    }
  }
}

/** As {@link answer}, with the progress handed to `call.onProgress`. */
export async function answerWithProgress(
  binding: Binding,
  order: Order,
  call: SubagentToolCall,
  intervalMs: number,
): Promise<SubagentToolResult> {
  const following = follow(binding, order, call, intervalMs)
  for (;;) {
    const { done, value } = await following.next()
    if (done) return value
    contain(binding.logger, `onProgress of tool ${binding.toolName}`, () => call.onProgress!(value))
  }
}
