/**
 * The model of `subagents demo`: a script behind the AI SDK's language model interface, in the same loop as a real
 * model. It sees its prompt and nothing else: no file, no network, no clock of its own. Contract: C1, C2.
 */
import { nextChildStep } from './child-script.ts'
import { readConversation } from './conversation.ts'
import type { ModelAnswer, ModelCall, ModelObject, ModelStreamPart, ScriptStep } from './language-model.ts'
import { nextParentStep } from './parent-script.ts'
import { readPartPrompt } from './part.ts'
import type { Pause } from './pause.ts'

/** True figures: a script uses no tokens. */
const usage: ModelAnswer['usage'] = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
}

/**
 * A model that finds TODOs: as a parent it lists, delegates and joins, as a child it searches, reads and reports.
 *
 * @param pause what it waits for before each answer. @default nothing
 */
export function scriptedTodoModel(pause?: Pause): ModelObject {
  const answered = async (call: ModelCall) => {
    await pause?.(call.abortSignal)
    return answer(call)
  }
  return {
    specificationVersion: 'v3',
    provider: 'scripted',
    modelId: 'todo-finder',
    supportedUrls: {},
    doGenerate: answered,
    doStream: async (call) => ({ stream: streamOf(await answered(call), call.abortSignal) }),
  }
}

function answer(call: ModelCall): ModelAnswer {
  call.abortSignal?.throwIfAborted()
  const conversation = readConversation(call)
  const part = readPartPrompt(conversation.task)
  const step: ScriptStep = part ? nextChildStep(part, conversation) : nextParentStep(conversation)
  const calls = step.calls ?? []
  return {
    content: [
      ...(step.text ? [{ type: 'text' as const, text: step.text }] : []),
      ...calls.map(({ name, input }, index) => ({
        type: 'tool-call' as const,
        toolCallId: `scripted-${conversation.callCount + index + 1}`,
        toolName: name,
        input: JSON.stringify(input),
      })),
    ],
    finishReason: { unified: calls.length > 0 ? 'tool-calls' : 'stop', raw: undefined },
    usage,
    warnings: [],
  }
}

function streamOf(answer: ModelAnswer, signal: AbortSignal | undefined): ReadableStream<ModelStreamPart> {
  const parts = partsOf(answer)
  return new ReadableStream({
    pull(controller) {
      if (signal?.aborted) return controller.error(signal.reason)
      const { done, value } = parts.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}

function* partsOf({ content, finishReason, warnings }: ModelAnswer): Generator<ModelStreamPart, void> {
  yield { type: 'stream-start', warnings }
  for (const [index, part] of content.entries()) {
    if (part.type === 'text') {
      const id = `text-${index}`
      yield { type: 'text-start', id }
      for (const line of part.text.split(/(?<=\n)/)) yield { type: 'text-delta', id, delta: line }
      yield { type: 'text-end', id }
    } else if (part.type === 'tool-call') {
      yield { type: 'tool-input-start', id: part.toolCallId, toolName: part.toolName }
      yield { type: 'tool-input-delta', id: part.toolCallId, delta: part.input }
      yield { type: 'tool-input-end', id: part.toolCallId }
      yield part
    }
  }
  yield { type: 'finish', finishReason, usage }
}
