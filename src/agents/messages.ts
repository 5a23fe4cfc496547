/**
 * From the session log to what the model is sent.
 *
 * Owns: the mapping of events to model messages, kept up incrementally. Messages of a step that ran in this process are
 * taken over from the AI SDK, since they carry what the log does not: reasoning and the provider's signatures, which some
 * providers demand back within the same conversation. What came from elsewhere (a seed, a file) is derived from the log.
 *
 * Invariant: every tool call is followed by its result, else a made-up one that says so; providers refuse the call otherwise.
 */
import type { AssistantContent, FilePart, ModelMessage, TextPart, ToolContent, ToolSet } from 'ai'
import { toJson } from '../run/json.ts'
import { blockFlaw } from '../run/request.ts'
import type { ContentBlock, Json, SessionEvent } from '../types.ts'
import { turnIsOver } from './turn-over.ts'

type AssistantParts = Exclude<AssistantContent, string>
type ToolOutput = Extract<ToolContent[number], { type: 'tool-result' }>['output']

export interface MessageHistory {
  /** The messages so far; the list grows in place. */
  readonly messages: ModelMessage[]
  /** Takes up the events that were appended since the last call. When the signal aborts, no tool is waited for any more. */
  sync(events: readonly SessionEvent[], tools: ToolSet, signal?: AbortSignal): Promise<void>
  /** Takes `messages` in place of what the events from `start` to `end` would give, unless there are earlier ones to take up. */
  take(messages: readonly ModelMessage[], start: number, end: number): void
}

export function createMessageHistory(): MessageHistory {
  const messages: ModelMessage[] = []
  let cursor = 0
  let assistant: AssistantParts | undefined
  let results: ToolContent | undefined
  const open = new Map<string, string>()

  const closeOpen = () => {
    for (const [toolCallId, toolName] of open)
      addResult(toolCallId, toolName, { type: 'error-text', value: 'The call has no recorded result.' })
    assistant = results = undefined
  }
  const addResult = (toolCallId: string, toolName: string, output: ToolOutput) => {
    open.delete(toolCallId)
    if (!results) messages.push({ role: 'tool', content: (results = []) })
    results.push({ type: 'tool-result', toolCallId, toolName, output })
    assistant = undefined
  }
  const addAssistant = (...parts: AssistantParts) => {
    if (!assistant) messages.push({ role: 'assistant', content: (assistant = []) })
    assistant.push(...parts)
    results = undefined
  }
  const addUser = (content: readonly ContentBlock[], source?: string) => {
    closeOpen()
    const parts = content.map(toPart)
    messages.push({ role: 'user', content: source === undefined ? parts : [{ type: 'text', text: `Context from ${source}:` }, ...parts] })
  }

  const add = async (event: SessionEvent, tools: ToolSet, signal: AbortSignal | undefined): Promise<void> => {
    switch (event.type) {
      case 'user/message':
        return addUser(event.content)
      case 'context/message':
        return addUser(event.content, event.source)
      case 'assistant/message':
        closeOpen()
        if (event.content.length > 0) addAssistant(...event.content.map(toPart))
        return
      case 'tool/call':
        open.set(event.toolCallId, event.name)
        // Providers take an object only; what a model wrote instead is in the result that refused it.
        return addAssistant({
          type: 'tool-call',
          toolCallId: event.toolCallId,
          toolName: event.name,
          input: isObject(event.input) ? event.input : {},
        })
      case 'tool/result':
        // A result whose call is not there would be refused by providers as well.
        if (open.has(event.toolCallId)) addResult(event.toolCallId, event.name, await toOutput(event, tools, signal))
        return
      case 'turn/start':
      case 'turn/end':
        return closeOpen()
    }
  }

  return {
    messages,
    async sync(events, tools, signal) {
      while (cursor < events.length) await add(events[cursor++]!, tools, signal)
    },
    take(taken, start, end) {
      if (cursor !== start) return
      closeOpen()
      messages.push(...taken)
      cursor = end
    },
  }
}

function isObject(value: Json): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A block of a prompt as the model gets it; what no model reads by address is named as text, and so is what is no block. */
export function toPart(block: ContentBlock): TextPart | FilePart {
  // One part that the AI SDK does not know would break the conversation for good.
  if (blockFlaw(block, 'block') !== undefined) return { type: 'text', text: JSON.stringify(toJson(block)) }
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'image':
    case 'audio':
      return { type: 'file', data: block.data, mediaType: block.mimeType }
    case 'resource_link':
      return { type: 'text', text: `[${block.name}](${block.uri})${block.description ? `: ${block.description}` : ''}` }
    case 'resource':
      if ('blob' in block.resource)
        return { type: 'file', data: block.resource.blob, mediaType: block.resource.mimeType ?? 'application/octet-stream' }
      return { type: 'text', text: `<resource uri=${JSON.stringify(block.resource.uri)}>\n${block.resource.text}\n</resource>` }
  }
}

async function toOutput(
  { toolCallId, name, status, output }: Extract<SessionEvent, { type: 'tool/result' }>,
  tools: ToolSet,
  signal: AbortSignal | undefined,
): Promise<ToolOutput> {
  if (status === 'error')
    return typeof output === 'string' ? { type: 'error-text', value: output } : { type: 'error-json', value: output as never }
  const toModelOutput = tools[name]?.toModelOutput
  if (toModelOutput) {
    try {
      return await beforeAbort(async () => toModelOutput({ toolCallId, input: undefined, output }), signal)
    } catch {
      // The log holds the answer as JSON, which the tool may not know how to read back, or it takes too long.
    }
  }
  return typeof output === 'string' ? { type: 'text', value: output } : { type: 'json', value: output as never }
}

/** What `work` gives; rejects where the signal aborts before that. */
function beforeAbort<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(turnIsOver())
    if (signal?.aborted) return onAbort()
    signal?.addEventListener('abort', onAbort, { once: true })
    work()
      .then(resolve, reject)
      .finally(() => signal?.removeEventListener('abort', onAbort))
  })
}
