/**
 * A language model that follows a script: no network, no key, the same answers every time (K4).
 *
 * It is a model object of the AI SDK like any provider's, so whatever takes one takes this. It imports neither a test
 * runner nor, at run time, the AI SDK.
 */
import type { LanguageModel } from 'ai'
import { systemClock } from '../run/defaults.ts'
import type { Clock } from '../types.ts'
import { createApiError } from './scripted-errors.ts'
import { aborted, pause, untilAborted } from './scripted-waits.ts'

type LanguageModelV3 = Extract<LanguageModel, { readonly specificationVersion: 'v3' }>
type CallOptions = Parameters<LanguageModelV3['doStream']>[0]
type GenerateResult = Awaited<ReturnType<LanguageModelV3['doGenerate']>>
type StreamPart = Awaited<ReturnType<LanguageModelV3['doStream']>>['stream'] extends ReadableStream<infer TPart> ? TPart : never
type Usage = GenerateResult['usage']
type FinishReason = GenerateResult['finishReason']['unified']

/** Pieces of text: all at once, or one delta each; an async iterable lets a test decide when the next one comes. */
export type ScriptedText = string | Iterable<string> | AsyncIterable<string>

/** A call that the model makes. */
export interface ScriptedToolCall {
  /** As the tools of the call name it. */
  readonly name: string
  /** @default {} */
  readonly input?: unknown
  /** Sent as it stands in place of `input`, for arguments that are not JSON. */
  readonly rawInput?: string
  /** @default `call-<number of the call>-<index>` */
  readonly id?: string
}

/** A failure of the model, as the AI SDK reports one of a server. */
export interface ScriptedError {
  /** As the server words it. */
  readonly message: string
  /** HTTP status of the failure. @default none, as of a connection that failed */
  readonly status?: number
  /** @default what the AI SDK takes for retryable: no status, 408, 409, 429 and from 500 */
  readonly retryable?: boolean
}

/**
 * One answer. The members come in the order delay, reasoning, text, tools, then the end: `error`, `hang`, or `finish`.
 *
 * | to | write |
 * |---|---|
 * | reply | `'text'`, or `{ text: 'text' }` |
 * | stream | `{ text: ['two ', 'deltas'] }` |
 * | call tools | `{ tools: [{ name: 'search', input: { query: 'x' } }] }` |
 * | delay | `{ delayMs: 50, text: 'late' }` |
 * | fail | `{ error: { message: 'overloaded', status: 529 } }`, after some text where there is some |
 * | refuse | `{ finish: 'content-filter' }` |
 * | be cut off | `{ text: 'half a', finish: 'length' }` |
 * | hang until cancelled | `{ hang: true }`; for ever: `{ hang: true, deaf: true }` |
 */
export interface ScriptedAnswer {
  /** Streamed before the text. */
  readonly reasoning?: ScriptedText
  /** The visible answer. */
  readonly text?: ScriptedText
  /** All in one answer, after the text. */
  readonly tools?: readonly ScriptedToolCall[]
  /** @default 'tool-calls' with tools, else 'stop' */
  readonly finish?: FinishReason
  /** The provider's own word for it. @default that of `finish` */
  readonly rawFinish?: string
  /** Wait before anything else. @default 0 */
  readonly delayMs?: number
  /** Wait before each delta of text or reasoning. @default 0 */
  readonly chunkDelayMs?: number
  /** Fails with this in place of a finish; a text is its message. */
  readonly error?: ScriptedError | string
  /** Gives nothing more after what it has streamed, until the call's signal aborts. */
  readonly hang?: boolean
  /** Ignores the call's signal. */
  readonly deaf?: boolean
  /** @default a quarter of the characters of prompt and answer */
  readonly usage?: { readonly inputTokens?: number; readonly outputTokens?: number; readonly reasoningTokens?: number }
}

/** A call as the model got it. */
export interface ScriptedCall {
  /** From 0. */
  readonly index: number
  /** Which of the AI SDK's two methods was called. */
  readonly kind: 'stream' | 'generate'
  /** The messages in the AI SDK's own shape, system prompt included. */
  readonly prompt: CallOptions['prompt']
  /** Text of the last message of the user. */
  readonly lastUserText: string
  /** Names of the tools on offer. */
  readonly tools: readonly string[]
  /** The call's abort signal, which also ends the waits of its answer. */
  readonly signal: AbortSignal | undefined
  /** All that the AI SDK passed. */
  readonly options: CallOptions
}

/** What the model does at one call: a text, an answer, or what a function makes of the call. */
export type ScriptedStep = string | ScriptedAnswer | ((call: ScriptedCall) => string | ScriptedAnswer | Promise<string | ScriptedAnswer>)

/** How the model presents itself, and by which clock it waits. */
export interface ScriptedModelOptions {
  /** @default 'scripted' */
  readonly provider?: string
  /** @default 'scripted-model' */
  readonly modelId?: string
  /** Measures the delays. @default the system's clock */
  readonly clock?: Clock
}

/** A language model of the AI SDK that remembers its calls. */
export type ScriptedModel = LanguageModelV3 & {
  /** The calls so far, oldest first. */
  readonly calls: readonly ScriptedCall[]
}

/**
 * A model that gives one step of the script a call, or, where `steps` is a function, whatever that gives.
 *
 * A retry of the AI SDK is a call of its own. A call beyond the end of the script fails with an error that says so, and
 * is not retried.
 *
 * @example
 * ```ts
 * const model = scriptedModel([{ tools: [{ name: 'search', input: { query: 'TODO' } }] }, 'There are three.'])
 * const { text } = await generateText({ model, tools, prompt: 'Count the TODOs.', stopWhen: stepCountIs(2) })
 * ```
 */
export function scriptedModel(
  steps: readonly ScriptedStep[] | Exclude<ScriptedStep, string | ScriptedAnswer>,
  { provider = 'scripted', modelId = 'scripted-model', clock = systemClock }: ScriptedModelOptions = {},
): ScriptedModel {
  const calls: ScriptedCall[] = []

  const answer = async function* (kind: ScriptedCall['kind'], options: CallOptions): AsyncGenerator<StreamPart> {
    const call: ScriptedCall = {
      index: calls.length,
      kind,
      prompt: options.prompt,
      lastUserText: lastUserText(options.prompt),
      tools: options.tools?.map(({ name }) => name) ?? [],
      signal: options.abortSignal,
      options,
    }
    calls.push(call)
    const step = typeof steps === 'function' ? steps : steps[call.index]
    if (step === undefined) {
      const length = (steps as readonly ScriptedStep[]).length
      throw new Error(
        `scriptedModel: the script has ${length} ${length === 1 ? 'step' : 'steps'}, and this is call ${call.index + 1}, after ${JSON.stringify(call.lastUserText.slice(0, 80))}. Add a step, or find out why the model is called again.`,
      )
    }
    const given = typeof step === 'function' ? await step(call) : step
    yield* play(typeof given === 'string' ? { text: given } : given, call, clock)
  }

  return {
    specificationVersion: 'v3',
    provider,
    modelId,
    supportedUrls: {},
    calls,
    async doStream(options) {
      const parts = answer('stream', options)
      // What fails before the first part is the failure of the call, which the AI SDK may retry.
      const first = await parts.next()
      return { stream: toStream(first, parts) }
    },
    async doGenerate(options) {
      return collect(answer('generate', options))
    },
  }
}

async function* play(answer: ScriptedAnswer, call: ScriptedCall, clock: Clock): AsyncGenerator<StreamPart> {
  const { reasoning, text, tools = [], delayMs = 0, chunkDelayMs = 0, hang = false, deaf = false } = answer
  const signal = deaf ? undefined : call.signal
  const error = typeof answer.error === 'string' ? { message: answer.error } : answer.error
  let characters = 0
  let reasoned = 0

  await pause(delayMs, signal, clock)
  if (error && reasoning === undefined && text === undefined && tools.length === 0) throw createApiError(error)
  yield { type: 'stream-start', warnings: [] }
  for (const [kind, pieces] of [
    ['reasoning', reasoning],
    ['text', text],
  ] as const) {
    if (pieces === undefined) continue
    const id = `${kind}-${call.index}`
    yield { type: `${kind}-start`, id }
    for await (const delta of typeof pieces === 'string' ? [pieces] : untilAborted(pieces, signal)) {
      await pause(chunkDelayMs, signal, clock)
      characters += delta.length
      if (kind === 'reasoning') reasoned += delta.length
      yield { type: `${kind}-delta`, id, delta }
    }
    yield { type: `${kind}-end`, id }
  }
  for (const [index, { name, input = {}, rawInput, id }] of tools.entries()) {
    const json = rawInput ?? JSON.stringify(input)
    characters += json.length
    yield { type: 'tool-call', toolCallId: id ?? `call-${call.index}-${index}`, toolName: name, input: json }
  }
  if (error) throw createApiError(error)
  if (hang) await aborted(signal)
  const unified = answer.finish ?? (tools.length > 0 ? 'tool-calls' : 'stop')
  yield { type: 'finish', finishReason: { unified, raw: answer.rawFinish ?? unified }, usage: usageOf(answer, call, characters, reasoned) }
}

function toStream(first: IteratorResult<StreamPart>, parts: AsyncGenerator<StreamPart>): ReadableStream<StreamPart> {
  let held: IteratorResult<StreamPart> | undefined = first
  return new ReadableStream<StreamPart>(
    {
      async pull(controller) {
        const { done, value } = held ?? (await parts.next())
        held = undefined
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel() {
        // Not awaited: a step that hangs never gets to its end.
        void parts.return(undefined).catch(() => {})
      },
    },
    { highWaterMark: 0 },
  )
}

async function collect(parts: AsyncIterable<StreamPart>): Promise<GenerateResult> {
  const content: GenerateResult['content'] = []
  let open: { type: 'text' | 'reasoning'; text: string } | undefined
  let end: Extract<StreamPart, { type: 'finish' }> | undefined
  for await (const part of parts) {
    if (part.type === 'text-start' || part.type === 'reasoning-start')
      content.push((open = { type: part.type === 'text-start' ? 'text' : 'reasoning', text: '' }))
    else if (part.type === 'text-delta' || part.type === 'reasoning-delta') open!.text += part.delta
    else if (part.type === 'tool-call') content.push(part)
    else if (part.type === 'finish') end = part
  }
  return { content, finishReason: end!.finishReason, usage: end!.usage, warnings: [] }
}

function usageOf({ usage = {} }: ScriptedAnswer, call: ScriptedCall, characters: number, reasoned: number): Usage {
  const input = usage.inputTokens ?? Math.ceil(promptLength(call.prompt) / 4)
  const output = usage.outputTokens ?? Math.ceil(characters / 4)
  const reasoning = usage.reasoningTokens ?? Math.ceil(reasoned / 4)
  return {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: output, text: output - reasoning, reasoning },
  }
}

function promptLength(prompt: CallOptions['prompt']): number {
  let length = 0
  for (const { content } of prompt) {
    if (typeof content === 'string') length += content.length
    else for (const part of content) length += part.type === 'text' || part.type === 'reasoning' ? part.text.length : 16
  }
  return length
}

function lastUserText(prompt: CallOptions['prompt']): string {
  for (const message of prompt.toReversed())
    if (message.role === 'user') return message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
  return ''
}
