/**
 * One turn: steps until the model has nothing left to do, and what of them goes into the log (G7).
 *
 * Owns: the step ceiling (G11), what goes in between steps (G4). Does not own: when a turn begins, what is queued,
 * cancelling (the agent), the model call itself (the step), what a finish reason means (step-end.ts).
 *
 * Invariants: no step begins before all events are on disk, and no turn counts as ended before its end is (G8), where the
 * session is kept; a turn that was started has exactly one `turn/end`; every `tool/call` in the log has its `tool/result` in
 * the same turn, so that the log can always be sent to a model again.
 */
import { describeThrown, warn } from '../run/contain.ts'
import type { ContentBlock, Logger, SubagentUpdateContent, TurnEndReason, Usage } from '../types.ts'
import type { MessageHistory } from './messages.ts'
import type { ModelObject } from './model.ts'
import { shortMessage } from './redact.ts'
import { SessionWriteError } from './sessions/file.ts'
import type { SessionLog } from './sessions/log.ts'
import { endOf } from './step-end.ts'
import { openSteps } from './steps.ts'
import type { OpenSteps, StepOutcome, ToolCall } from './steps.ts'
import type { Toolbox } from './tools.ts'

export type Pending =
  | { readonly kind: 'message'; readonly content: readonly ContentBlock[]; readonly source?: string }
  | { readonly kind: 'context'; readonly content: readonly ContentBlock[]; readonly source: string }

export interface OpenTurn {
  readonly number: number
  readonly abort: AbortController
  /** Steered and injected, in order, waiting for the end of the running step. */
  between: Pending[]
  /** Set by whoever aborts the turn. */
  ending?: TurnEndReason
  open?: OpenSteps
}

export interface TurnContext {
  readonly log: SessionLog
  readonly history: MessageHistory
  readonly toolbox: Toolbox
  readonly model: ModelObject
  readonly system: string | undefined
  readonly maxSteps: number
  readonly maxOutputTokens: number | undefined
  readonly maxRetries: number | undefined
  readonly logger: Logger
  readonly emit: (update: SubagentUpdateContent) => void
  readonly onUsage: (usage: Usage) => void
  readonly onLate: () => void
  readonly onWarning: (warning: unknown) => void
  /** Asked after a step that called tools: true ends the turn as completed, whatever was steered into it. */
  readonly concludeWhen: (() => boolean) | undefined
}

/** Runs `turn` on `messages` to its `turn/end`. Never rejects. */
export async function runTurn(context: TurnContext, turn: OpenTurn, messages: readonly Pending[]): Promise<void> {
  const { log, logger } = context
  log.append({ type: 'turn/start', turn: turn.number })
  for (const message of messages) appendPending(log, message)
  let reason: TurnEndReason
  try {
    reason = await runStretches(context, turn)
  } catch (thrown) {
    reason = endOfThrown(thrown, logger)
  }
  appendBetween(log, turn, 'context')
  endTurn(context, turn.number, reason)
}

async function runStretches(context: TurnContext, turn: OpenTurn): Promise<TurnEndReason> {
  const { log, logger, history, toolbox, model, maxSteps, concludeWhen } = context
  let count = 0
  let end: TurnEndReason | 'next-step' = 'next-step'
  let concluded = false
  /** @returns whether the same stretch may go on */
  const onStep = (outcome: StepOutcome): boolean => {
    record(context, outcome)
    count++
    end = endOf(outcome, model.provider)
    if (end === 'next-step' && concludeWhen?.()) {
      end = { kind: 'completed' }
      concluded = true
    }
    if (end !== 'next-step' || count >= maxSteps || turn.between.length > 0 || toolbox.current() !== tools) return false
    // Within a stretch the AI SDK would send the call back as it is, though no tool is offered.
    if (outcome.calls.length > 0 && Object.keys(tools).length === 0) return false
    try {
      log.save()
      return true
    } catch (thrown) {
      end = endOfThrown(thrown, logger)
      return false
    }
  }
  let tools = toolbox.current()
  while (!turn.ending) {
    log.save()
    await history.sync(log.entries, tools)
    if (turn.ending) break
    const { system, maxOutputTokens, maxRetries, emit, onLate, onWarning } = context
    const { signal } = turn.abort
    const { messages } = history
    const messageId = () => `${turn.number}.${count + 1}`
    turn.open = openSteps({
      model,
      system,
      messages,
      tools,
      maxOutputTokens,
      maxRetries,
      signal,
      messageId,
      emit,
      onStep,
      onLate,
      onWarning,
    })
    const unfinished = await turn.open.ended
    if (unfinished) onStep(unfinished)
    // A cancel that came since the last step ended counts all the same.
    if (turn.ending) break
    // Read as a whole, since the compiler does not see that onStep sets them.
    const reached = end as TurnEndReason | 'next-step'
    if (concluded as boolean) {
      if (turn.between.some(({ kind }) => kind === 'message'))
        warn(logger, `A message came while the turn concluded, and has no answer: it is kept in session ${log.session.header.id}.`)
      appendBetween(log, turn)
      return reached as TurnEndReason
    }
    const steered = turn.between.some((pending) => pending.kind === 'message')
    if (reached !== 'next-step' && (reached.kind !== 'completed' || !steered || count >= maxSteps)) return reached
    if (count >= maxSteps) return { kind: 'max-steps' }
    appendBetween(log, turn)
    tools = toolbox.current()
  }
  return turn.ending ?? { kind: 'aborted' }
}

/** All of it is in the log before anybody hears of it: who does may read the log, cancel or dispose. */
function record({ log, history, emit, onUsage }: TurnContext, outcome: StepOutcome): void {
  const { content, usage, calls, end, messages } = outcome
  const start = log.entries.length
  if (content.length > 0 || usage) log.append({ type: 'assistant/message', content, ...(usage && { usage }) })
  for (const { toolCallId, name, input } of calls) log.append({ type: 'tool/call', toolCallId, name, input })
  const answered = calls.every((call) => call.result)
  for (const call of calls) {
    const { toolCallId, name } = call
    const { status, output } = call.result ?? { status: 'error' as const, output: whyUnanswered(outcome, call) }
    log.append({ type: 'tool/result', toolCallId, name, status, output })
  }
  if (end === 'finished' && messages && answered) history.take(messages, start, log.entries.length)
  for (const { toolCallId, result } of calls) if (!result) emit({ type: 'tool-result', toolCallId, status: 'error' })
  if (usage) onUsage(usage)
}

function whyUnanswered({ end, finishReason }: StepOutcome, call: ToolCall): string {
  if (end === 'aborted') return 'Cancelled before it answered.'
  if (end !== 'finished') return 'Not executed: the answer that called it broke off.'
  if (call.byProvider) return 'The provider gave no result.'
  if (finishReason !== 'stop' && finishReason !== 'tool-calls')
    return `Not executed: the answer that called it ended by ${finishReason ?? 'no finish reason'}.`
  return 'Not executed: the tool has no execute function here, or wants an approval that nobody can give.'
}

function appendPending(log: SessionLog, pending: Pending): void {
  const { kind, content, source } = pending
  if (kind === 'context') log.append({ type: 'context/message', content, source })
  else log.append({ type: 'user/message', content, ...(source !== undefined && { source }) })
}

/** Moves what waits into the log: all of it, or only the context, which asks for no answer. */
function appendBetween(log: SessionLog, turn: OpenTurn, only?: 'context'): void {
  const taken = turn.between.filter((pending) => only === undefined || pending.kind === only)
  if (taken.length === 0) return
  turn.between = turn.between.filter((pending) => !taken.includes(pending))
  for (const pending of taken) appendPending(log, pending)
}

/** A turn that ended before it began: what was queued for it is dropped. */
export function recordDroppedTurn(context: Pick<TurnContext, 'log' | 'logger'>, reason: TurnEndReason): void {
  const turn = context.log.nextTurn()
  context.log.append({ type: 'turn/start', turn })
  endTurn(context, turn, reason)
}

/** Context that came while no turn was open: a turn of its own, without the model (G4). */
export function recordContextTurn(context: Pick<TurnContext, 'log' | 'logger'>, pending: Pending): void {
  const turn = context.log.nextTurn()
  context.log.append({ type: 'turn/start', turn })
  appendPending(context.log, pending)
  endTurn(context, turn, { kind: 'completed' })
}

/** On disk before it counts (G8); what could not be written there is an error, and stays in memory to be tried again. */
function endTurn({ log, logger }: Pick<TurnContext, 'log' | 'logger'>, turn: number, reason: TurnEndReason): void {
  try {
    log.commit({ type: 'turn/end', turn, reason })
  } catch (thrown) {
    log.append({ type: 'turn/end', turn, reason: reason.kind === 'error' ? reason : endOfThrown(thrown, logger) })
  }
}

function endOfThrown(thrown: unknown, logger: Logger): TurnEndReason {
  // The path in it is for the reader, and is none of what looks like a key.
  const message = thrown instanceof SessionWriteError ? thrown.message : `The turn failed: ${shortMessage(describeThrown(thrown))}`
  warn(logger, message)
  return { kind: 'error', message, retryable: false }
}
