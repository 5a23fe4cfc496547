import { defineProvider } from 'xstate-subagents'

/**
 * A compiled LangGraph graph over messages as a provider: what `createAgent` gives, or a `StateGraph(MessagesAnnotation)`.
 * @param {{ name?: string, graph: import('@langchain/langgraph').Pregel<any, any> }} options
 */
export function langGraphProvider({ name = 'langgraph', graph }) {
  return defineProvider({
    name,
    async *run({ prompt }, { signal }) {
      const content = prompt.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n')
      const input = { messages: [{ role: 'user', content }] }
      let last
      try {
        for await (const [mode, data] of await graph.stream(input, { signal, streamMode: ['messages', 'values'] })) {
          if (mode === 'values') last = data.messages.at(-1)
          else yield* updatesOf(data[0])
        }
        return last.text
      } catch (error) {
        if (signal.aborted) throw signal.reason
        if (error.lc_error_code === 'GRAPH_RECURSION_LIMIT') return failed('MAX_STEPS', 'The graph reached its recursionLimit.')
        return failed('MODEL_ERROR', `The graph failed: ${error.name}.`)
      }
    },
  })
}

function* updatesOf({ tool_call_id: toolCallId, status, text, id }) {
  if (toolCallId) yield { type: 'tool-result', toolCallId, status: status === 'error' ? 'error' : 'ok' }
  else if (text) yield { type: 'text', text, messageId: id }
}

/** The output is what was streamed. An error's own text may quote a key, so that only its name goes out. */
function failed(code, message) {
  return { output: [], stopReason: 'error', failure: { code, phase: 'running', retryable: false, message } }
}
