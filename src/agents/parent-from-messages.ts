/**
 * A parent for a conversation that another loop on the AI SDK leads, so that `fork` has turns to inherit (S26).
 *
 * Owns: where a turn begins and ends in a list of messages. What a part of one is as content of a log: message-content.ts.
 */
import type { ModelMessage } from 'ai'
import { standIn } from '../parent.ts'
import { deepFreeze } from '../run/copy.ts'
import { invalid } from '../run/request.ts'
import type { ContentBlock, ParentAgent, SessionEvent } from '../types.ts'
import { toJson } from '../run/json.ts'
import { contentOf, invalidPart, outputOf } from './message-content.ts'
import type { SessionEntry } from './sessions/log.ts'

/** A conversation that this package does not keep, and where in it its agent is. */
export interface ParentFromMessagesOptions {
  /** The conversation so far, as `streamText` and `generateText` take it. */
  readonly messages: readonly ModelMessage[]
  /** Absolute working directory that children inherit. */
  readonly cwd?: string
  /** @default 'root' */
  readonly id?: string
  /** Delegation depth of the caller itself. @default 0 */
  readonly depth?: number
}

/**
 * A parent whose session is this conversation: each message of the user begins a turn, and a turn has ended when the assistant has
 * had the last word in it. One that it has not, since the user or a tool spoke last or a call is without its result, is the open
 * turn, which a fork does not inherit. The messages are copied.
 *
 * Kept are text, images and files (one that is given as an address is kept as a link), tool calls and their results, those of
 * tools that the provider ran included; of a result with files in it, its text and a mark for each file. Dropped are messages of
 * the system, since a child has a system prompt of its own, reasoning, and approvals of tool calls.
 *
 * @throws SubagentError INVALID_REQUEST naming the message and what of it is none; for messages of a user interface, the function
 * that converts them
 *
 * @example
 * ```ts
 * const parent = parentFromMessages({ messages: await convertToModelMessages(uiMessages), cwd: process.cwd() })
 * const { output } = await service.delegate('fork', { parent, prompt: 'Sum up what was decided.' })
 * ```
 */
export function parentFromMessages(options: ParentFromMessagesOptions): ParentAgent {
  const messages: unknown = options?.messages
  if (!Array.isArray(messages)) throw invalid('messages', 'an array of model messages', messages)
  const turns = new Turns()
  for (const [index, message] of messages.entries()) add(turns, message as ModelMessage, `messages[${index}]`)
  return standIn('parentFromMessages', options, deepFreeze(turns.finish()))
}

class Turns {
  readonly #events: SessionEvent[] = []
  readonly #calls = new Map<string, string>()
  #turn = 0
  #isOpen = false
  /** Whether the assistant had the last word in the open turn. */
  #isAnswered = false

  append(entry: SessionEntry): void {
    this.#events.push({ seq: this.#events.length, at: 0, ...entry } as SessionEvent)
  }

  user(content: readonly ContentBlock[]): void {
    // Messages in a row are one turn, which they were answered in together.
    if (this.#events.at(-1)?.type !== 'user/message') this.end()
    this.#begin()
    if (content.length > 0) this.append({ type: 'user/message', content })
  }

  assistant(content: readonly ContentBlock[]): void {
    this.#begin()
    this.append({ type: 'assistant/message', content })
    this.#isAnswered = true
  }

  call(toolCallId: string, name: string, input: unknown): void {
    this.#calls.set(toolCallId, name)
    this.append({ type: 'tool/call', toolCallId, name, input: toJson(input) })
  }

  result(toolCallId: string, name: string, outcome: ReturnType<typeof outputOf>): void {
    this.#calls.delete(toolCallId)
    this.append({ type: 'tool/result', toolCallId, name, ...outcome })
  }

  /** A tool has spoken: the turn goes on. */
  goesOn(): void {
    this.#begin()
    this.#isAnswered = false
  }

  end(): void {
    if (!this.#isOpen) return
    for (const [toolCallId, name] of this.#calls)
      this.append({ type: 'tool/result', toolCallId, name, status: 'error', output: 'The call has no recorded result.' })
    this.#calls.clear()
    this.append({ type: 'turn/end', turn: this.#turn, reason: { kind: 'completed' } })
    this.#isOpen = false
  }

  finish(): readonly SessionEvent[] {
    if (this.#isAnswered && this.#calls.size === 0) this.end()
    return this.#events
  }

  #begin(): void {
    if (!this.#isOpen) this.append({ type: 'turn/start', turn: ++this.#turn })
    this.#isOpen = true
    this.#isAnswered = false
  }
}

function add(turns: Turns, message: ModelMessage, field: string): void {
  if (typeof message !== 'object' || message === null) throw invalid(field, 'a model message', message)
  if ('parts' in message && !('content' in message))
    throw invalid(
      field,
      'a model message; this is one of a user interface: pass what `await convertToModelMessages(messages)` of ai gives',
      message,
    )
  const { role, content } = message
  if (role === 'system') return
  if (role !== 'user' && role !== 'assistant' && role !== 'tool') throw invalid(`${field}.role`, 'system, user, assistant or tool', role)
  if (!Array.isArray(content) && (typeof content !== 'string' || role === 'tool'))
    throw invalid(`${field}.content`, role === 'tool' ? 'an array of parts' : 'a string or an array of parts', content)
  if (role === 'user') turns.user(contentOf(content, field))
  else if (role === 'assistant') addAssistant(turns, content, field)
  else addResults(turns, content as readonly unknown[], field)
}

/** Texts come first, then calls, then results, as the log of a turn has them. */
function addAssistant(turns: Turns, content: string | readonly unknown[], field: string): void {
  turns.assistant(contentOf(content, field))
  if (typeof content === 'string') return
  for (const [index, part] of (content as readonly Part[]).entries())
    if (part.type === 'tool-call') {
      checkCall(part, `${field}.content[${index}]`)
      turns.call(part.toolCallId, part.toolName, part.input)
    }
  for (const [index, part] of (content as readonly Part[]).entries())
    if (part.type === 'tool-result') {
      const at = `${field}.content[${index}]`
      checkCall(part, at)
      turns.result(part.toolCallId, part.toolName, outputOf(part.output, at))
    }
}

function addResults(turns: Turns, content: readonly unknown[], field: string): void {
  turns.goesOn()
  for (const [index, part] of (content as readonly Part[]).entries()) {
    const at = `${field}.content[${index}]`
    // An answer to a request for approval says nothing of a result.
    if (part?.type === 'tool-approval-response') continue
    if (part?.type !== 'tool-result') throw invalidPart(at, part)
    checkCall(part, at)
    turns.result(part.toolCallId, part.toolName, outputOf(part.output, at))
  }
}

interface Part {
  readonly type: string
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
  readonly output: unknown
}

function checkCall(part: Part, field: string): void {
  for (const key of ['toolCallId', 'toolName'] as const)
    if (typeof part[key] !== 'string') throw invalid(`${field}.${key}`, 'a string', part[key])
}
