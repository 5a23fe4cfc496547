/**
 * A streamed answer of a model, gathered from its parts into what the model would have answered as a whole: what the AI SDK's
 * specification of language models calls content, in the versions from 2 on, which differ in nothing that is read here.
 */
import { toJson } from '../run/json.ts'
import type { Json } from '../types.ts'
import { withoutDeepArguments } from './deep-arguments.ts'
import { errorOutput } from './step-draft.ts'
import type { StepDraft } from './step-draft.ts'

/** A part of a stream, and of content. */
export interface Part {
  readonly type: string
  readonly [field: string]: unknown
}

type Text = { readonly type: 'text' | 'reasoning'; text: string }

/** Makes a call fail for good: the AI SDK would ask once more for what has been told already. */
class BrokenAnswerError extends Error {
  override name = 'BrokenAnswerError'
}

export class Answer {
  /** The first error that came in place of an answer, or in the middle of one. */
  failure: { readonly error: unknown } | undefined
  readonly #draft: StepDraft
  readonly #onWarning: (warning: unknown) => void
  readonly #content: (Part | Text)[] = []
  /** Texts that have begun and not ended, by kind and id: those of a text and of a reasoning may be the same. */
  readonly #open = new Map<string, Text>()
  #metadata: Part | undefined
  #finish: Part | undefined

  /** @param draft is told of each part as it comes */
  constructor(draft: StepDraft, onWarning: (warning: unknown) => void) {
    this.#draft = draft
    this.#onWarning = onWarning
  }

  /** Whether it ended without saying that it did. */
  get isBrokenOff(): boolean {
    return this.#finish === undefined
  }

  fail(error: unknown): void {
    this.failure ??= { error }
  }

  take(part: Part): void {
    switch (part.type) {
      case 'text-start':
      case 'text-delta':
      case 'text-end':
        return this.#takeText('text', part)
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        return this.#takeText('reasoning', part)
      case 'tool-call':
        return this.#takeCall(withoutDeepArguments(part))
      case 'tool-result':
        return this.#takeResult(part)
      case 'file':
        return this.#takeFile(part)
      case 'stream-start':
        for (const warning of (part.warnings ?? []) as unknown[]) this.#onWarning(warning)
        return
      case 'response-metadata':
        this.#metadata = { ...this.#metadata, ...part }
        return
      case 'finish':
        this.#finish = part
        return
      case 'error':
        return this.fail(part.error)
      default:
        if (!passing.has(part.type)) this.#content.push(part)
    }
  }

  /** The answer as a whole. @throws where there is none, or not all of it */
  whole(request: unknown, headers: unknown): object {
    if (!this.#finish) throw new BrokenAnswerError('The answer broke off.')
    const { usage, finishReason, providerMetadata } = this.#finish
    const { id, timestamp, modelId } = this.#metadata ?? ({} as Partial<Part>)
    return {
      content: this.#content,
      usage,
      // So that no tool is run for an answer that went wrong.
      finishReason: this.failure ? asError(finishReason) : finishReason,
      ...(providerMetadata !== undefined && { providerMetadata }),
      // They were told; what is left here the AI SDK writes to the console.
      warnings: [],
      request,
      response: { id, timestamp, modelId, headers },
    }
  }

  #takeText(kind: Text['type'], part: Part): void {
    const { type, id, delta, ...rest } = part
    const name = `${kind} ${String(id)}`
    let text = this.#open.get(name)
    if (!text || type.endsWith('-start')) {
      if (type.endsWith('-end')) return
      text = { type: kind, text: '' }
      this.#open.set(name, text)
      this.#content.push(text)
    }
    // Signatures and citations come with any of them, the last one counts.
    for (const field in rest) if (rest[field] !== undefined) (text as Record<string, unknown>)[field] = rest[field]
    if (type.endsWith('-end')) this.#open.delete(name)
    else if (typeof delta === 'string' && delta !== '') {
      text.text += delta
      if (kind === 'text') this.#draft.text(delta, text)
      else this.#draft.thought(delta)
    }
  }

  #takeFile(part: Part): void {
    this.#content.push(part)
    const mimeType = String(part.mediaType)
    // From version 4 of the specification on it says which of the two it is.
    const data = (isObject(part.data) ? (part.data.url ?? part.data.data) : part.data) as string | Uint8Array | URL
    if (data instanceof URL || (isObject(part.data) && part.data.url !== undefined)) this.#draft.link(mimeType, String(data))
    else this.#draft.file(mimeType, typeof data === 'string' ? data : Buffer.from(data).toString('base64'))
  }

  #takeCall(part: Part): void {
    this.#content.push(part)
    const { toolCallId, toolName, input, providerExecuted } = part
    this.#draft.call({
      toolCallId: String(toolCallId),
      name: String(toolName),
      input: parsed(input),
      byProvider: providerExecuted === true,
    })
  }

  /** Of a tool that the provider ran itself. */
  #takeResult(part: Part): void {
    if (part.preliminary === true) return
    this.#content.push(part)
    const { toolCallId, result, isError } = part
    if (isError === true) this.#draft.settle(String(toolCallId), 'error', errorOutput(result))
    else this.#draft.settle(String(toolCallId), 'ok', toJson(result))
  }
}

/** Parts that are nothing of an answer. */
const passing = new Set(['tool-input-start', 'tool-input-delta', 'tool-input-end', 'raw', 'ping'])

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !(value instanceof Uint8Array)
}

/** Arguments as they were written: JSON, and nothing stands for none. */
function parsed(input: unknown): Json {
  if (typeof input !== 'string') return toJson(input)
  if (input.trim() === '') return {}
  try {
    return JSON.parse(input) as Json
  } catch {
    return input
  }
}

/** Version 2 has a word only. */
function asError(finishReason: unknown): unknown {
  return typeof finishReason === 'object' ? { ...finishReason, unified: 'error' } : 'error'
}
