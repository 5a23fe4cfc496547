/**
 * Consecutive steps of a turn, on one call of the AI SDK's `streamText`. A step is one call of the model and the tools it
 * called.
 *
 * Owns: reading the stream, forwarding its deltas, collecting what the log will hold. The turn loop owns what is written
 * and whether another step follows; a new `streamText` begins only where something has to go in between, since setting
 * one up costs several times a step.
 *
 * Invariants: no step begins before `onStep` of the last one has returned; each step is handed on once, whatever those who
 * hear of it do meanwhile; settles at once when the signal aborts, whether or not model and tools listen to it (G13); never
 * rejects; writes nothing to the console; leaves no rejected promise behind.
 */
import { streamText } from 'ai'
import type { FinishReason, ModelMessage, ToolSet } from 'ai'
import { describeThrown } from '../run/contain.ts'
import { deferred } from '../run/deferred.ts'
import type { Deferred } from '../run/deferred.ts'
import type { ContentBlock, Json, SubagentUpdateContent, Usage } from '../types.ts'
import type { TellDelta } from './gathered-text.ts'
import { describeModelError } from './model-error.ts'
import type { TurnError } from './model-error.ts'
import { tapModel } from './model-tap.ts'
import type { ModelObject } from './model.ts'
import { shortMessage } from './redact.ts'
import { soleReader } from './sole-reader.ts'
import { StepDraft } from './step-draft.ts'
import type { StreamPart } from './step-draft.ts'
import type { OpenSteps } from './tools.ts'
import { withoutTools } from './without-tools.ts'

export interface StepsInput {
  readonly model: ModelObject
  readonly system: string | undefined
  readonly messages: ModelMessage[]
  readonly tools: ToolSet
  readonly maxOutputTokens: number | undefined
  readonly maxRetries: number | undefined
  readonly signal: AbortSignal
  readonly open: OpenSteps
  /** Groups the deltas of the step that begins. */
  readonly messageId: () => string
  readonly emit: (update: SubagentUpdateContent) => void
  /** Hears of each step that came to its end; false ends the stretch. */
  readonly onStep: (outcome: StepOutcome) => boolean
  readonly onLate: () => void
  /** What the provider warns of: settings it does not honour. */
  readonly onWarning: (warning: unknown) => void
}

export interface ToolCall {
  readonly toolCallId: string
  readonly name: string
  readonly input: Json
  /** The provider ran it itself; nothing follows from it. */
  readonly byProvider: boolean
  result?: { readonly status: 'ok' | 'error'; readonly output: Json }
}

/** What a step left. All but `end` may be partial unless `end` is `finished`. */
export interface StepOutcome {
  readonly end: 'finished' | 'aborted' | TurnError
  readonly content: readonly ContentBlock[]
  readonly calls: readonly ToolCall[]
  readonly finishReason?: FinishReason
  /** The provider's own word for it. */
  readonly rawFinishReason?: string
  readonly usage?: Usage
  /** The step as model messages of the AI SDK, with what the log does not hold. */
  readonly messages?: readonly ModelMessage[]
}

/** @returns the step that did not come to its end, if there is one */
export function runSteps(input: StepsInput): Promise<StepOutcome | undefined> {
  const { signal, open } = input
  return new Promise((resolve) => {
    const reading = createReading(input)
    const close = (end: StepOutcome['end'] | undefined) => {
      if (open.closed) return
      open.closed = true
      signal.removeEventListener('abort', onAbort)
      resolve(end && reading.outcome(end))
    }
    const onAbort = () => close('aborted')
    signal.addEventListener('abort', onAbort, { once: true })
    read(input, reading).then(close, (thrown: unknown) => close(internal(thrown)))
  })
}

/** @returns how the last step ended, where it was not handed to `onStep` */
async function read(input: StepsInput, reading: Reading): Promise<StepOutcome['end'] | undefined> {
  const { tools, open } = input
  const hasTools = Object.keys(tools).length > 0
  const tap = tapModel(input.model, open, input.onLate, reading.onDelta)
  const failed = (error: unknown) => describeModelError(error, { provider: input.model.provider, answering: tap.answering() })
  try {
    const result = streamText({
      model: tap.model,
      // A copy: the log takes in what a step answered while the AI SDK, which adds that itself, still reads this.
      messages: hasTools ? [...input.messages] : withoutTools(input.messages),
      ...(input.system !== undefined && { system: input.system }),
      ...(hasTools && { tools }),
      ...(input.maxOutputTokens !== undefined && { maxOutputTokens: input.maxOutputTokens }),
      ...(input.maxRetries !== undefined && { maxRetries: input.maxRetries }),
      abortSignal: input.signal,
      stopWhen: () => !reading.goesOn(),
      // The default writes to the console; the error comes through the stream as well.
      onError: () => {},
      onStepFinish: ({ response, warnings }) => {
        // Taken out, since the AI SDK writes what is left in this list to the console.
        for (const warning of warnings?.splice(0) ?? []) input.onWarning(warning)
        return reading.onMessages(response.messages)
      },
    })
    const next = soleReader(result)
    for (;;) {
      const part = await next()
      if (open.closed) return undefined
      if (!part) break
      if (part.type === 'error') reading.error ??= failed(part.error)
      else if (!tap.isTold(part)) reading.onPart(part)
    }
  } catch (thrown) {
    reading.error ??= failed(thrown)
  }
  return reading.onEnd()
}

interface Reading {
  /** The first error of the step being read. */
  error: TurnError | undefined
  onPart(part: StreamPart): void
  /** A delta that the model has just written. */
  readonly onDelta: TellDelta
  /** The response messages of the step, and in version 6 of those before it too; resolves when the step was handed on. */
  onMessages(messages: readonly ModelMessage[]): Promise<void> | undefined
  onEnd(): StepOutcome['end'] | undefined
  outcome(end: StepOutcome['end']): StepOutcome
  goesOn(): boolean
}

function createReading({ emit, messageId, onStep, open }: StepsInput): Reading {
  /** Of the step being read, from its first part until it is handed on: whatever hears of it may end the stretch meanwhile. */
  let draft: StepDraft | undefined
  const current = () => (draft ??= new StepDraft(messageId(), emit))
  let handedOn = 0
  let goesOn = true
  let broken: TurnError | undefined
  let messages: readonly ModelMessage[] | undefined
  let lastMessage: ModelMessage | undefined
  // A step's end is read from the stream, its messages come by a callback, and either may be first.
  let ended = false
  let waiting: Deferred<void> | undefined

  const handOn = () => {
    // Whoever closed the stretch has got the step.
    if (open.closed) return
    if (messages) current().messages = messages
    const outcome = reading.outcome(reading.error ?? 'finished')
    const waited = waiting
    ended = false
    draft = waiting = messages = reading.error = undefined
    handedOn++
    try {
      goesOn = onStep(outcome)
    } catch (thrown) {
      broken = internal(thrown)
      goesOn = false
    }
    waited?.resolve()
  }

  const reading: Reading = {
    error: undefined,
    goesOn: () => goesOn && !open.closed,
    outcome: (end) => (draft ?? new StepDraft('', emit)).outcome(end),
    onMessages(all) {
      if (open.closed) return undefined
      messages = all.slice(lastMessage ? all.indexOf(lastMessage) + 1 : 0)
      lastMessage = all.at(-1)
      if (!ended) return (waiting = deferred()).promise
      handOn()
      return undefined
    },
    onEnd() {
      if (ended) handOn()
      // A stream that ends without any step is an answer without anything in it.
      return broken ?? reading.error ?? (handedOn === 0 ? 'finished' : undefined)
    },
    onDelta(kind, delta, block) {
      if (ended) handOn()
      if (open.closed) return
      if (kind === 'text') current().text(delta, block)
      else current().thought(delta)
    },
    onPart(part) {
      if (ended) handOn()
      if (open.closed || !current().take(part)) return
      ended = true
      if (waiting) handOn()
    },
  }
  return reading
}

function internal(thrown: unknown): TurnError {
  return { kind: 'error', message: `The turn failed: ${shortMessage(describeThrown(thrown))}`, retryable: false }
}
