import { run } from '@openai/agents'
import { defineProvider } from 'xstate-subagents'

/**
 * An agent of the OpenAI Agents SDK as a provider.
 * @param {{ name?: string, agent: import('@openai/agents').Agent<any, any>, maxTurns?: number }} options
 */
export function openAiAgentsProvider({ name = 'openai-agents', agent, maxTurns = 10 }) {
  return defineProvider({
    name,
    async *run({ prompt }, { signal }) {
      const input = prompt.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n')
      try {
        const stream = await run(agent, input, { stream: true, signal, maxTurns })
        for await (const event of stream) yield* updatesOf(event)
        await stream.completed
        signal.throwIfAborted()
        return typeof stream.finalOutput === 'string' ? stream.finalOutput : JSON.stringify(stream.finalOutput)
      } catch (error) {
        if (signal.aborted) throw signal.reason
        if (error.name === 'MaxTurnsExceededError') return failed('MAX_STEPS', `The agent used up its ${maxTurns} turns.`)
        return failed('MODEL_ERROR', `The agent failed: ${error.name}.`)
      }
    },
  })
}

function* updatesOf({ type, name, data, item }) {
  if (type === 'raw_model_stream_event' && data.type === 'output_text_delta') yield { type: 'text', text: data.delta }
  if (name === 'tool_called') yield { type: 'tool-call', toolCallId: item.rawItem.callId, name: item.rawItem.name }
  if (name === 'tool_output') yield { type: 'tool-result', toolCallId: item.rawItem.callId, status: 'ok' }
}

/** The output is what was streamed. An error's own text may quote a key, so that only its name goes out. */
function failed(code, message) {
  return { output: [], stopReason: 'error', failure: { code, phase: 'running', retryable: false, message } }
}
