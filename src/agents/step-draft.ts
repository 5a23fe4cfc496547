/**
 * A step of a model that is under way: what the log will hold of it, and what is told of it meanwhile. Needs no `ai` at run
 * time, so that it serves whoever reads an answer.
 */
import type { FinishReason, LanguageModelUsage } from 'ai'
import type { ContentBlock, Json, SubagentUpdateContent } from '../types.ts'
import { toJson } from '../run/json.ts'
import type { StepOutcome, ToolCall, ToolResult } from './steps.ts'
import { toUsage } from './usage.ts'

type Mutable<Of> = { -readonly [Key in keyof Of]: Of[Key] }
type Draft = Mutable<Omit<StepOutcome, 'end' | 'content' | 'calls'>> & { content: ContentBlock[]; calls: Mutable<ToolCall>[] }

export class StepDraft {
  readonly #draft: Draft = { content: [], calls: [] }
  readonly #texts = new Map<unknown, { type: 'text'; text: string }>()
  readonly #messageId: string
  readonly #emit: (update: SubagentUpdateContent) => void

  /** @param messageId groups the deltas of the step */
  constructor(messageId: string, emit: (update: SubagentUpdateContent) => void) {
    this.#messageId = messageId
    this.#emit = emit
  }

  set messages(messages: NonNullable<StepOutcome['messages']>) {
    this.#draft.messages = messages
  }

  /** A delta of a text. @param block what it is a part of */
  text(text: string, block: unknown): void {
    let known = this.#texts.get(block)
    if (!known) {
      known = { type: 'text', text: '' }
      this.#texts.set(block, known)
      this.#draft.content.push(known)
    }
    known.text += text
    this.#emit({ type: 'text', text, messageId: this.#messageId })
  }

  thought(text: string): void {
    this.#emit({ type: 'thought', text, messageId: this.#messageId })
  }

  /** @param base64 its bytes */
  file(mimeType: string, base64: string): void {
    const kind = mimeType.split('/')[0]
    const uri = `generated:${this.#messageId}/${this.#draft.content.length}`
    this.#draft.content.push(
      kind === 'image' || kind === 'audio'
        ? { type: kind, data: base64, mimeType }
        : { type: 'resource', resource: { uri, mimeType, blob: base64 } },
    )
  }

  /** A file that lies elsewhere. */
  link(mimeType: string, uri: string): void {
    this.#draft.content.push({ type: 'resource_link', uri, name: 'generated file', mimeType })
  }

  call(call: Omit<ToolCall, 'result'>): void {
    this.#draft.calls.push({ ...call })
    this.#emit({ type: 'tool-call', toolCallId: call.toolCallId, name: call.name, input: call.input })
  }

  /** Arguments of the call of that number, as its schema left them. */
  correct(index: number, input: unknown): void {
    const call = this.#draft.calls[index]
    if (call) call.input = toJson(input)
  }

  /** What came of a call, unless that is known. */
  settle(toolCallId: string, status: ToolResult['status'], output: Json): void {
    const call = this.#draft.calls.find((candidate) => candidate.toolCallId === toolCallId && !candidate.result)
    if (!call) return
    call.result = { status, output }
    this.#emit({ type: 'tool-result', toolCallId, status })
  }

  finish(finishReason: FinishReason, rawFinishReason: string | undefined, usage: LanguageModelUsage): void {
    this.#draft.finishReason = finishReason
    if (rawFinishReason !== undefined) this.#draft.rawFinishReason = rawFinishReason
    this.#draft.usage = toUsage(usage)
  }

  outcome(end: StepOutcome['end']): StepOutcome {
    const content = this.#draft.content.filter((block) => block.type !== 'text' || block.text !== '')
    return Object.assign({}, this.#draft, { content, end })
  }
}

/** As the AI SDK words it for the model, without the name that version 7 puts before its own errors. */
export function errorOutput(error: unknown): Json {
  if (error instanceof Error) return error.message
  if (typeof error === 'string') return error.replace(/^AI_\w+Error: /, '')
  return error === undefined || error === null ? 'unknown error' : toJson(error)
}
