/**
 * One step: one call of the model and the tools it called, on the AI SDK's `streamText`.
 *
 * Owns: reading the stream, forwarding its deltas, collecting what the log will hold. The turn loop owns what is written
 * and whether another step follows.
 *
 * Invariants: settles at once when the signal aborts, whether or not model and tools listen to it (G13); never rejects;
 * writes nothing to the console; leaves no rejected promise behind.
 */
import { streamText } from 'ai'
import type { FinishReason, LanguageModelUsage, ModelMessage, ToolSet } from 'ai'
import type { ContentBlock, Json, SubagentUpdateContent, Usage } from '../types.ts'
import { toJson } from './json.ts'
import { describeModelError } from './model-error.ts'
import type { TurnError } from './model-error.ts'
import { tapModel } from './model-tap.ts'
import type { ModelObject } from './model.ts'
import type { OpenStep } from './tools.ts'

export interface StepInput {
  readonly model: ModelObject
  readonly system: string | undefined
  readonly messages: ModelMessage[]
  readonly tools: ToolSet
  readonly maxOutputTokens: number | undefined
  readonly maxRetries: number | undefined
  readonly signal: AbortSignal
  readonly step: OpenStep
  /** Groups the deltas of this step. */
  readonly messageId: string
  readonly emit: (update: SubagentUpdateContent) => void
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

export function runStep(input: StepInput): Promise<StepOutcome> {
  const { signal, step } = input
  const draft: Draft = { content: [], calls: [] }
  return new Promise((resolve) => {
    const close = (end: StepOutcome['end']) => {
      if (step.closed) return
      step.closed = true
      signal.removeEventListener('abort', onAbort)
      resolve({ ...draft, content: draft.content.filter((block) => block.type !== 'text' || block.text !== ''), end })
    }
    const onAbort = () => close('aborted')
    signal.addEventListener('abort', onAbort, { once: true })
    consume(input, draft).then(close, (error: unknown) => close({ kind: 'error', message: String(error), retryable: false }))
  })
}

type Draft = { -readonly [Key in keyof Omit<StepOutcome, 'end'>]: StepOutcome[Key] } & { content: ContentBlock[]; calls: ToolCall[] }

async function consume(input: StepInput, draft: Draft): Promise<StepOutcome['end']> {
  const { step, tools, signal, emit, messageId } = input
  const tap = tapModel(input.model, step, input.onLate)
  const failed = (error: unknown) => describeModelError(error, { provider: input.model.provider, answering: tap.answering() })
  let error: TurnError | undefined
  try {
    const result = streamText({
      model: tap.model,
      messages: input.messages,
      ...(input.system !== undefined && { system: input.system }),
      ...(Object.keys(tools).length > 0 && { tools }),
      ...(input.maxOutputTokens !== undefined && { maxOutputTokens: input.maxOutputTokens }),
      ...(input.maxRetries !== undefined && { maxRetries: input.maxRetries }),
      abortSignal: signal,
      // The default writes to the console; the error comes through the stream as well.
      onError: () => {},
      onStepFinish: ({ response, warnings }) => {
        draft.messages = response.messages
        // Taken out, since the AI SDK writes what is left in this list to the console.
        for (const warning of warnings?.splice(0) ?? []) input.onWarning(warning)
      },
    })
    const reader = result.fullStream.getReader()
    const texts = new Map<string, { type: 'text'; text: string }>()
    for (;;) {
      const { done, value: part } = await reader.read()
      if (done || step.closed) break
      switch (part.type) {
        case 'text-delta': {
          let block = texts.get(part.id)
          if (!block) {
            block = { type: 'text', text: '' }
            texts.set(part.id, block)
            draft.content.push(block)
          }
          block.text += part.text
          emit({ type: 'text', text: part.text, messageId })
          break
        }
        case 'reasoning-delta':
          emit({ type: 'thought', text: part.text, messageId })
          break
        case 'file':
          draft.content.push(toBlock(part.file, messageId, draft.content.length))
          break
        case 'tool-call': {
          const call = { toolCallId: part.toolCallId, name: part.toolName, input: toJson(part.input), byProvider: part.providerExecuted === true }
          draft.calls.push(call)
          emit({ type: 'tool-call', toolCallId: call.toolCallId, name: call.name, input: call.input })
          break
        }
        case 'tool-result':
          if (!part.preliminary) settle(draft, emit, part.toolCallId, 'ok', toJson(part.output))
          break
        case 'tool-error':
          settle(draft, emit, part.toolCallId, 'error', errorOutput(part.error))
          break
        case 'error':
          error ??= failed(part.error)
          break
        case 'finish-step':
          draft.finishReason = part.finishReason
          if (part.rawFinishReason !== undefined) draft.rawFinishReason = part.rawFinishReason
          draft.usage = toUsage(part.usage)
          break
        default:
          break
      }
    }
  } catch (thrown) {
    error ??= failed(thrown)
  }
  return error ?? 'finished'
}

function settle(draft: Draft, emit: StepInput['emit'], toolCallId: string, status: 'ok' | 'error', output: Json): void {
  const call = draft.calls.find((candidate) => candidate.toolCallId === toolCallId && !candidate.result)
  if (!call) return
  call.result = { status, output }
  emit({ type: 'tool-result', toolCallId, status })
}

/** As the AI SDK words it for the model. */
function errorOutput(error: unknown): Json {
  if (error instanceof Error) return error.message
  return error === undefined || error === null ? 'unknown error' : toJson(error)
}

function toBlock(file: { base64: string; mediaType: string }, messageId: string, index: number): ContentBlock {
  const kind = file.mediaType.split('/')[0]
  if (kind === 'image' || kind === 'audio') return { type: kind, data: file.base64, mimeType: file.mediaType }
  return { type: 'resource', resource: { uri: `generated:${messageId}/${index}`, mimeType: file.mediaType, blob: file.base64 } }
}

function toUsage(usage: LanguageModelUsage): Usage {
  const { inputTokens, outputTokens, totalTokens } = usage
  const reasoningTokens = usage.outputTokenDetails?.reasoningTokens
  const cachedInputTokens = usage.inputTokenDetails?.cacheReadTokens
  return {
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(totalTokens !== undefined && { totalTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    ...(cachedInputTokens !== undefined && { cachedInputTokens }),
  }
}
