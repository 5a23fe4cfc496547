/**
 * The agent's session updates in the words of a run (A9, A18, R16). What has no word here is passed raw.
 */
import type { ContentBlock, SubagentUpdateContent, Usage } from '../../types.ts'
import { fields, json, list, text } from './protocol.ts'
import { RecentIds } from './recent-ids.ts'
import type { Transcript } from './transcript.ts'

type Fields = { readonly [field: string]: unknown }

/** Reads the updates of one run: text goes to its transcript, everything to `report`. */
export class UpdateReader {
  readonly #transcript: Transcript
  readonly #report: (update: SubagentUpdateContent) => void
  /** Tool calls that were told of, by id. */
  readonly #told = new RecentIds()
  readonly #ended = new RecentIds()

  constructor(transcript: Transcript, report: (update: SubagentUpdateContent) => void) {
    this.#transcript = transcript
    this.#report = report
  }

  /** @param update of whatever shape */
  read(update: Fields): void {
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        this.#chunk(update)
        return
      case 'agent_thought_chunk':
        this.#thought(update)
        return
      case 'tool_call':
      case 'tool_call_update':
        this.toolCall(update)
        return
      case 'plan':
        this.#report({ type: 'plan', entries: planEntries(update) })
        return
      case 'usage_update': {
        const usage = typeof update.used === 'number' ? { totalTokens: update.used } : undefined
        this.#report(usage ? { type: 'usage', usage } : { type: 'raw', raw: json(update) })
        return
      }
      default:
        this.#report({ type: 'raw', raw: json(update) })
    }
  }

  /** Also that of a question for a permission, which some agents send without having told of the call before. */
  toolCall(call: Fields): void {
    const { toolCallId, status } = call
    if (typeof toolCallId !== 'string') {
      this.#report({ type: 'raw', raw: json(call) })
      return
    }
    this.#transcript.pause()
    if (!this.#told.has(toolCallId)) {
      this.#told.add(toolCallId)
      const input = call.rawInput
      this.#report({
        type: 'tool-call',
        toolCallId,
        name: toolName(call),
        ...(input !== undefined && input !== null && { input: json(input) }),
      })
    }
    if ((status === 'completed' || status === 'failed') && !this.#ended.has(toolCallId)) {
      this.#ended.add(toolCallId)
      this.#report({ type: 'tool-result', toolCallId, status: status === 'completed' ? 'ok' : 'error' })
    }
  }

  #chunk(update: Fields): void {
    const content = fields(update.content)
    const messageId = text(update.messageId)
    if (content.type === 'text' && typeof content.text === 'string') {
      this.#transcript.add(content.text, messageId)
      this.#report({ type: 'text', text: content.text, ...(messageId !== undefined && { messageId }) })
      return
    }
    if (isBlock(content)) this.#transcript.addBlock(content)
    this.#report({ type: 'raw', raw: json(update) })
  }

  #thought(update: Fields): void {
    const content = fields(update.content)
    const messageId = text(update.messageId)
    this.#transcript.pause()
    if (content.type === 'text' && typeof content.text === 'string')
      this.#report({ type: 'thought', text: content.text, ...(messageId !== undefined && { messageId }) })
    else this.#report({ type: 'raw', raw: json(update) })
  }
}

export function toolName({ name, title, kind }: Fields): string {
  return text(name) ?? text(title) ?? text(kind) ?? 'tool'
}

/** Token counts of a prompt's answer, where the agent gives them. */
export function readUsage(value: unknown): Usage | undefined {
  const { inputTokens, outputTokens, totalTokens, thoughtTokens, cachedReadTokens } = fields(value)
  const counts = { inputTokens, outputTokens, totalTokens, reasoningTokens: thoughtTokens, cachedInputTokens: cachedReadTokens }
  const known = Object.entries(counts).filter(([, count]) => typeof count === 'number')
  return known.length > 0 ? (Object.fromEntries(known) as Usage) : undefined
}

function planEntries(update: Fields): Extract<SubagentUpdateContent, { type: 'plan' }>['entries'] {
  return list(update.entries).map(({ content, status, priority }) => ({
    content: text(content) ?? '',
    status: text(status) ?? 'pending',
    ...(typeof priority === 'string' && { priority }),
  }))
}

function isBlock(content: Fields): content is Fields & Exclude<ContentBlock, { type: 'text' }> {
  const { type } = content
  if (type === 'image' || type === 'audio') return typeof content.data === 'string' && typeof content.mimeType === 'string'
  if (type === 'resource_link') return typeof content.uri === 'string' && typeof content.name === 'string'
  return type === 'resource' && typeof content.resource === 'object' && content.resource !== null
}
