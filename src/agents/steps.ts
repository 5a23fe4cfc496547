/**
 * Consecutive steps of a turn, on one call of the AI SDK's `generateText`. A step is one call of the model and the tools it
 * called.
 *
 * Owns: the call, what becomes of its errors, collecting what the log will hold. The turn loop owns what is written and
 * whether another step follows; the model that is handed to the AI SDK owns the streaming. A new call begins only where something
 * has to go in between, since the AI SDK checks the whole conversation at each.
 *
 * Invariants: no step begins before `onStep` of the last one has returned; each step is handed on once, whatever those who
 * hear of it do meanwhile; settles at once when the signal aborts, whether or not model and tools listen to it (G13); never
 * rejects; writes nothing to the console; leaves no rejected promise behind.
 */
import { generateText } from 'ai'
import type { FinishReason, ModelMessage, StepResult, ToolSet } from 'ai'
import { describeThrown } from '../run/contain.ts'
import type { ContentBlock, Json, SubagentUpdateContent, Usage } from '../types.ts'
import { useMessageSchema } from './message-schema.ts'
import { describeModelError } from './model-error.ts'
import type { TurnError } from './model-error.ts'
import type { ModelObject } from './model.ts'
import { shortMessage } from './redact.ts'
import { errorOutput, StepDraft } from './step-draft.ts'
import { streamedModel } from './streamed-model.ts'
import { withoutTools } from './without-tools.ts'

export interface StepsInput {
  readonly model: ModelObject
  readonly system: string | undefined
  readonly messages: ModelMessage[]
  readonly tools: ToolSet
  readonly maxOutputTokens: number | undefined
  readonly maxRetries: number | undefined
  readonly signal: AbortSignal
  /** Groups the deltas of the step that begins. */
  readonly messageId: () => string
  readonly emit: (update: SubagentUpdateContent) => void
  /** Hears of each step that came to its end; false ends the stretch. */
  readonly onStep: (outcome: StepOutcome) => boolean
  readonly onLate: () => void
  /** What the provider warns of: settings it does not honour. */
  readonly onWarning: (warning: unknown) => void
}

/** A stretch of steps under way. */
export interface OpenSteps {
  /** Whether its outcome is decided: nothing that comes later counts. */
  readonly closed: boolean
  /** What came of a tool call of the step under way; the first counts. */
  settle(toolCallId: string, status: ToolResult['status'], output: Json): void
  /** Resolves with the step that did not come to its end, if there is one. */
  readonly ended: Promise<StepOutcome | undefined>
}

export interface ToolCall {
  readonly toolCallId: string
  readonly name: string
  readonly input: Json
  /** The provider ran it itself; nothing follows from it. */
  readonly byProvider: boolean
  readonly result?: ToolResult
}

export interface ToolResult {
  readonly status: 'ok' | 'error'
  readonly output: Json
}

/** What a step left. All but `end` may be partial unless `end` is `finished`. */
export interface StepOutcome {
  readonly end: 'finished' | 'aborted' | TurnError
  readonly content: readonly ContentBlock[]
  readonly calls: readonly ToolCall[]
  /** Undefined where the answer broke off without a word. */
  readonly finishReason?: FinishReason
  /** The provider's own word for it. */
  readonly rawFinishReason?: string
  readonly usage?: Usage
  /** The step as model messages of the AI SDK, with what the log does not hold. */
  readonly messages?: readonly ModelMessage[]
}

export function openSteps(input: StepsInput): OpenSteps {
  const { signal, emit, messageId, onStep } = input
  /** Of the step under way, until it is handed on. */
  let draft: StepDraft | undefined
  let closed = false
  let goesOn = true
  let resolve!: (outcome: StepOutcome | undefined) => void
  const ended = new Promise<StepOutcome | undefined>((settle) => (resolve = settle))

  const close = (outcome: StepOutcome | undefined) => {
    if (closed) return
    closed = true
    signal.removeEventListener('abort', onAbort)
    resolve(outcome)
  }
  const current = () => (draft ??= new StepDraft(messageId(), emit))
  const onAbort = () => close(draft?.outcome('aborted') ?? { end: 'aborted', content: [], calls: [] })
  const isClosed = () => closed

  signal.addEventListener('abort', onAbort, { once: true })
  run(input, {
    current,
    isClosed,
    goesOn: () => goesOn && !closed,
    handOn(end) {
      if (closed) return
      const outcome = current().outcome(end)
      draft = undefined
      goesOn = onStep(outcome)
    },
  }).then(
    (end) => close(end && current().outcome(end)),
    (thrown: unknown) => close(current().outcome(internal(thrown))),
  )
  return {
    ended,
    get closed() {
      return closed
    },
    settle(toolCallId, status, output) {
      if (!closed) draft?.settle(toolCallId, status, output)
    },
  }
}

interface Stretch {
  /** What the step under way has brought. */
  current(): StepDraft
  isClosed(): boolean
  goesOn(): boolean
  handOn(end: StepOutcome['end']): void
}

/** @returns how the last step ended, where it was not handed on */
async function run(input: StepsInput, stretch: Stretch): Promise<StepOutcome['end'] | undefined> {
  const { model, tools, system, maxOutputTokens, maxRetries, signal } = input
  const hasTools = Object.keys(tools).length > 0
  const streamed = streamedModel(model, { ...stretch, onLate: input.onLate, onWarning: input.onWarning })
  const failed = (error: unknown) => describeModelError(error, { provider: model.provider, answering: streamed.answer() !== undefined })
  useMessageSchema()
  let isBroken = false
  let thrownByListener: unknown
  try {
    await generateText({
      model: streamed.model,
      // A copy: the log takes in what a step answered while the AI SDK, which adds that itself, still reads this.
      messages: hasTools ? [...input.messages] : withoutTools(input.messages),
      ...(system !== undefined && { system }),
      ...(hasTools && { tools }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      ...(maxRetries !== undefined && { maxRetries }),
      abortSignal: signal,
      stopWhen: () => isBroken || !stretch.goesOn(),
      onStepFinish(step) {
        if (stretch.isClosed()) return
        try {
          complete(stretch.current(), step)
          const failure = streamed.answer()?.failure
          stretch.handOn(failure ? failed(failure.error) : 'finished')
        } catch (thrown) {
          // The AI SDK takes no notice of what is thrown here.
          isBroken = true
          thrownByListener = thrown
        }
      },
    })
  } catch (thrown) {
    const answer = streamed.answer()
    if (answer?.failure) return failed(answer.failure.error)
    return answer?.isBrokenOff ? 'finished' : failed(thrown)
  }
  return isBroken ? internal(thrownByListener) : undefined
}

/** Adds what the AI SDK made of the answer: arguments as their schemas left them, results of calls for which no tool was run. */
function complete(draft: StepDraft, { content, finishReason, rawFinishReason, usage, response }: StepResult<ToolSet>): void {
  let index = 0
  for (const part of content) {
    if (part.type === 'tool-call') draft.correct(index++, part.input)
    else if (part.type === 'tool-error') draft.settle(part.toolCallId, 'error', errorOutput(part.error))
  }
  draft.finish(finishReason, rawFinishReason, usage)
  const isAnswered = content.some((part) => (part.type === 'tool-result' || part.type === 'tool-error') && part.providerExecuted !== true)
  draft.messages = ownMessages(response.messages, isAnswered)
}

/**
 * The messages of the last step among those of all steps, which version 6 of the AI SDK gives: an assistant message, and one with
 * the results where tools were run. Version 7 gives no others. A step goes before another only where tools were run.
 */
function ownMessages(messages: readonly ModelMessage[], isAnswered: boolean): readonly ModelMessage[] {
  if ((messages.at(-1)?.role === 'tool') !== isAnswered) return []
  return messages.slice(isAnswered ? -2 : -1)
}

function internal(thrown: unknown): TurnError {
  return { kind: 'error', message: `The turn failed: ${shortMessage(describeThrown(thrown))}`, retryable: false }
}
