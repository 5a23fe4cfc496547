/**
 * The one gate through which a run settles: the provider's answer is checked on the way in, the result is built on the
 * way out, by the outcome that the machine decided (R7, R12, R14, V4).
 */
import { SubagentError } from '../errors.ts'
import type { RunOutcome } from '../machines/run.ts'
import type { ContentBlock, ProviderRun, SubagentFailure, SubagentResult } from '../types.ts'
import { afterChildRuns, giveUpChildRuns } from './child-runs.ts'
import { describeThrown, warn } from './contain.ts'
import { copy } from './copy.ts'
import type { RunRecord } from './record.ts'
import { blockFlaw } from './request.ts'
import { limitText } from './text.ts'

/** Sends what the child's promise comes to. */
export function watchResult(record: RunRecord, child: ProviderRun): void {
  Promise.resolve(child.result).then(
    (answer) => {
      let result: SubagentResult
      try {
        result = readAnswer(answer)
      } catch (cause) {
        const message = `Provider ${JSON.stringify(record.providerName)} gave something that is not a result: ${cause instanceof Flaw ? cause.message : describeThrown(cause)}.`
        failed(record, new SubagentError('INVALID_RESULT', message, cause instanceof Flaw ? undefined : { cause }))
        return
      }
      if (!record.settlement) record.answer = { result }
      const { stopReason, failure } = result
      afterChildRuns(record, () => record.send({ type: 'settle', stopReason, ...(failure && stopReason !== 'completed' && { failure }) }))
    },
    (error: unknown) => failed(record, error),
  )
}

function failed(record: RunRecord, error: unknown): void {
  if (record.settlement)
    warn(record.host.logger, `The promise of run ${record.runId} failed after the run had settled: ${describeThrown(error)}`)
  else record.answer = { error }
  afterChildRuns(record, () => record.send({ type: 'reject', ...(SubagentError.is(error) && { code: error.code }) }))
}

/** Builds and passes on the settlement; called once a run. */
export function settleResult(record: RunRecord, outcome: RunOutcome): void {
  giveUpChildRuns(record)
  const { answer } = record
  record.answer = undefined
  // A child that was stopped may fail as it likes, but an answer that is lost is told.
  if (answer && 'error' in answer && !outcome.rejected && SubagentError.is(answer.error, 'INVALID_RESULT'))
    warn(record.host.logger, `Run ${record.runId} was stopped, and its answer is dropped. ${answer.error.message}`)
  record.disarmAll()
  record.closeUpdates()
  if (record.request.signal) record.host.abortLinks.unlink(record.request.signal, record)
  if (outcome.rejected) record.settle({ error: answer && 'error' in answer ? answer.error : undefined })
  else record.settle({ result: buildResult(record, outcome, answer && 'result' in answer ? answer.result : undefined) })
}

function buildResult(record: RunRecord, outcome: RunOutcome, answer: SubagentResult | undefined): SubagentResult {
  const result: { -readonly [Key in keyof SubagentResult]: SubagentResult[Key] } = {
    output: outcome.keep === 'nothing' ? [] : outputOf(record, answer),
    stopReason: outcome.stopReason,
  }
  if (outcome.stopReason === 'completed' && record.resolved.outputSchema && answer?.structured !== undefined)
    result.structured = answer.structured
  // Frozen, since subagent/end carries the same.
  if (outcome.failure) result.failure = Object.freeze(outcome.failure)
  const diagnostic: unknown =
    answer?.diagnostic ?? outcome.failure?.message ?? (outcome.stopReason === 'aborted' ? record.whyStopped : undefined)
  if (typeof diagnostic === 'string') result.diagnostic = limitText(diagnostic)
  if (answer?.usage) result.usage = answer.usage
  if (answer?.sessionId !== undefined) result.sessionId = answer.sessionId
  return result
}

/** What the child answered, else what it streamed; a copy that belongs to the caller. */
function outputOf(record: RunRecord, answer: SubagentResult | undefined): ContentBlock[] {
  if (!answer || answer.output.length === 0) {
    if (answer?.stopReason === 'completed') return []
    const { droppedText, partialOutput } = record.reports
    if (droppedText > 0)
      warn(
        record.host.logger,
        `The output of run ${record.runId} is the end of what it streamed: ${droppedText} characters before it were not kept.`,
      )
    return partialOutput
  }
  try {
    return copy(answer.output)
  } catch (thrown) {
    warn(record.host.logger, `The output of run ${record.runId} cannot be copied and is passed on as it is: ${describeThrown(thrown)}`)
    return answer.output
  }
}

/** What of an answer makes it none. */
class Flaw extends Error {}

/**
 * The fields of an answer, each read once: what a provider gives may be a proxy, or change.
 * @throws Flaw, and what a field throws when it is read
 */
function readAnswer(answer: unknown): SubagentResult {
  if (typeof answer !== 'object' || answer === null)
    throw new Flaw(`${answer === null ? 'null' : typeof answer} in place of { output, stopReason }`)
  const { output, structured, stopReason, failure, diagnostic, usage, sessionId } = answer as SubagentResult
  if (!Array.isArray(output)) throw new Flaw('output is not an array of content blocks')
  for (let index = 0; index < output.length; index++) {
    const flaw = blockFlaw(output[index], `output[${index}]`)
    if (flaw !== undefined) throw new Flaw(flaw)
  }
  if (typeof stopReason !== 'string' || (stopReason as string) === '') throw new Flaw('stopReason is not a stop reason')
  return {
    output,
    stopReason,
    ...(structured !== undefined && { structured }),
    ...(failure && { failure: readFailure(failure) }),
    ...(diagnostic !== undefined && { diagnostic }),
    ...(usage && { usage: Object.freeze({ ...usage }) }),
    ...(sessionId !== undefined && { sessionId }),
  }
}

function readFailure(failure: SubagentFailure): SubagentFailure {
  const { code, phase, retryable, message } = failure
  if (typeof code !== 'string' || code === '' || typeof message !== 'string')
    throw new Flaw('failure is not { code, phase, retryable, message }')
  if (!phases.includes(phase)) throw new Flaw(`failure.phase is none of ${phases.join(', ')}`)
  return { code, phase, retryable: retryable === true, message: limitText(message) }
}

const phases: readonly SubagentFailure['phase'][] = ['starting', 'running', 'settling']
