/**
 * A step of a model that is under way: the parts of the AI SDK's stream, as what the log will hold of them, and as updates.
 * Needs no `ai` at run time, so that it serves whoever reads such a stream.
 */
import type { TextStreamPart, ToolSet } from 'ai'
import type { ContentBlock, Json, SubagentUpdateContent } from '../types.ts'
import { toJson } from '../run/json.ts'
import type { StepOutcome, ToolCall } from './steps.ts'
import { toUsage } from './usage.ts'

export type StreamPart = TextStreamPart<ToolSet>

type Draft = { -readonly [Key in keyof Omit<StepOutcome, 'end'>]: StepOutcome[Key] } & { content: ContentBlock[]; calls: ToolCall[] }

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

  /** @returns whether the part ends the step */
  take(part: StreamPart): boolean {
    const draft = this.#draft
    const messageId = this.#messageId
    switch (part.type) {
      case 'text-delta':
        this.text(part.text, part.id)
        return false
      case 'reasoning-delta':
        this.thought(part.text)
        return false
      case 'file':
        draft.content.push(toBlock(part.file, messageId, draft.content.length))
        return false
      case 'tool-call': {
        const call = {
          toolCallId: part.toolCallId,
          name: part.toolName,
          input: toJson(part.input),
          byProvider: part.providerExecuted === true,
        }
        draft.calls.push(call)
        this.#emit({ type: 'tool-call', toolCallId: call.toolCallId, name: call.name, input: call.input })
        return false
      }
      case 'tool-result':
        if (!part.preliminary) this.#settle(part.toolCallId, 'ok', toJson(part.output))
        return false
      case 'tool-error':
        this.#settle(part.toolCallId, 'error', errorOutput(part.error))
        return false
      case 'finish-step':
        draft.finishReason = part.finishReason
        if (part.rawFinishReason !== undefined) draft.rawFinishReason = part.rawFinishReason
        draft.usage = toUsage(part.usage)
        return true
      default:
        return false
    }
  }

  outcome(end: StepOutcome['end']): StepOutcome {
    const content = this.#draft.content.filter((block) => block.type !== 'text' || block.text !== '')
    return Object.assign({}, this.#draft, { content, end })
  }

  #settle(toolCallId: string, status: 'ok' | 'error', output: Json): void {
    const call = this.#draft.calls.find((candidate) => candidate.toolCallId === toolCallId && !candidate.result)
    if (!call) return
    call.result = { status, output }
    this.#emit({ type: 'tool-result', toolCallId, status })
  }
}

/** As the AI SDK words it for the model, without the name that version 7 puts before its own errors. */
function errorOutput(error: unknown): Json {
  if (error instanceof Error) return error.message
  if (typeof error === 'string') return error.replace(/^AI_\w+Error: /, '')
  return error === undefined || error === null ? 'unknown error' : toJson(error)
}

function toBlock(file: { base64: string; mediaType: string }, messageId: string, index: number): ContentBlock {
  const kind = file.mediaType.split('/')[0]
  if (kind === 'image' || kind === 'audio') return { type: kind, data: file.base64, mimeType: file.mediaType }
  return { type: 'resource', resource: { uri: `generated:${messageId}/${index}`, mimeType: file.mediaType, blob: file.base64 } }
}
