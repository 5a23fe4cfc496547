/**
 * One step of a turn: a call of the model and the tools that it called, by the AI SDK's `generateText`.
 *
 * Owns: the call, what becomes of its errors, collecting what the log will hold. The turn loop owns what is written and
 * whether another step follows; the model that is handed to the AI SDK owns the streaming.
 *
 * Invariants: settles at once when the signal aborts, whether or not model and tools listen to it (G13); never rejects; writes
 * nothing to the console; leaves no rejected promise behind.
 */
import { generateText } from 'ai'
import type { FinishReason, ModelMessage, ToolSet } from 'ai'
import { describeThrown } from '../run/contain.ts'
import type { ContentBlock, Json, SubagentUpdateContent, Usage } from '../types.ts'
import { describeModelError } from './model-error.ts'
import type { TurnError } from './model-error.ts'
import type { ModelObject } from './model.ts'
import { shortMessage } from './redact.ts'
import { errorOutput, StepDraft } from './step-draft.ts'
import { streamedModel } from './streamed-model.ts'
import { withoutTools } from './without-tools.ts'

export interface StepInput {
  readonly model: ModelObject
  readonly system: string | undefined
  readonly messages: ModelMessage[]
  readonly tools: ToolSet
  readonly maxOutputTokens: number | undefined
  readonly maxRetries: number | undefined
  readonly signal: AbortSignal
  /** Groups the deltas of the step. */
  readonly messageId: string
  readonly emit: (update: SubagentUpdateContent) => void
  readonly onLate: () => void
  /** What the provider warns of: settings it does not honour. */
  readonly onWarning: (warning: unknown) => void
}

/** A step under way. */
export interface OpenStep {
  /** Whether its outcome is decided: nothing that comes later counts. */
  readonly closed: boolean
  /** What came of a tool call; the first of a call counts. */
  settle(toolCallId: string, status: ToolResult['status'], output: Json): void
  readonly outcome: Promise<StepOutcome>
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

export function openStep(input: StepInput): OpenStep {
  const { signal, messageId, emit } = input
  const draft = new StepDraft(messageId, emit)
  let closed = false
  const outcome = new Promise<StepOutcome>((resolve) => {
    const close = (end: StepOutcome['end']) => {
      if (closed) return
      closed = true
      signal.removeEventListener('abort', onAbort)
      resolve(draft.outcome(end))
    }
    const onAbort = () => close('aborted')
    signal.addEventListener('abort', onAbort, { once: true })
    take(input, draft, () => closed).then(close, (thrown: unknown) =>
      close({ kind: 'error', message: `The turn failed: ${shortMessage(describeThrown(thrown))}`, retryable: false }),
    )
  })
  return {
    outcome,
    get closed() {
      return closed
    },
    settle(toolCallId, status, output) {
      if (!closed) draft.settle(toolCallId, status, output)
    },
  }
}

async function take(input: StepInput, draft: StepDraft, isClosed: () => boolean): Promise<StepOutcome['end']> {
  const { tools, system, messages, maxOutputTokens, maxRetries, signal, onLate, onWarning } = input
  const hasTools = Object.keys(tools).length > 0
  const streamed = streamedModel(input.model, { draft, isClosed, onLate, onWarning })
  const failed = (error: unknown) =>
    describeModelError(error, { provider: input.model.provider, answering: streamed.answer() !== undefined })
  try {
    const { steps } = await generateText({
      model: streamed.model,
      messages: hasTools ? messages : withoutTools(messages),
      ...(system !== undefined && { system }),
      ...(hasTools && { tools }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      ...(maxRetries !== undefined && { maxRetries }),
      abortSignal: signal,
    })
    // One, since `stopWhen` is left as it is.
    const step = steps[0]!
    if (!isClosed()) finish(draft, step)
  } catch (thrown) {
    const answer = streamed.answer()
    if (answer?.failure) return failed(answer.failure.error)
    return answer?.isBrokenOff ? 'finished' : failed(thrown)
  }
  const { failure } = streamed.answer()!
  return failure ? failed(failure.error) : 'finished'
}

type FinishedStep = Awaited<ReturnType<typeof generateText<ToolSet>>>['steps'][number]

/** What the AI SDK made of the answer: arguments as their schemas left them, and results of calls for which no tool was run. */
function finish(draft: StepDraft, step: FinishedStep): void {
  const { content, finishReason, rawFinishReason, usage, response } = step
  let index = 0
  for (const part of content) {
    if (part.type === 'tool-call') draft.correct(index++, part.input)
    else if (part.type === 'tool-error') draft.settle(part.toolCallId, 'error', errorOutput(part.error))
  }
  draft.finish(finishReason, rawFinishReason, usage)
  draft.messages = response.messages
}
