import { query } from '@anthropic-ai/claude-agent-sdk'
import { defineProvider } from 'xstate-subagents'

/**
 * Claude Code, by its Agent SDK, as a provider: a session in the parent's working directory.
 * @param {{ name?: string, options?: import('@anthropic-ai/claude-agent-sdk').Options }} settings options of `query`
 */
export function claudeProvider({ name = 'claude', options } = {}) {
  return defineProvider({
    name,
    async *run({ prompt: blocks, parent }, { signal }) {
      const prompt = blocks.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n')
      const abortController = new AbortController()
      signal.addEventListener('abort', () => abortController.abort(), { once: true })
      const { cwd } = parent.session.header
      try {
        for await (const message of query({ prompt, options: { cwd, ...options, includePartialMessages: true, abortController } })) {
          yield* updatesOf(message)
          if (message.type !== 'result') continue
          if (message.subtype === 'success' && !message.is_error) return message.result
          return failed(message.subtype === 'error_max_turns' ? 'MAX_STEPS' : 'MODEL_ERROR', `Claude Code: ${message.subtype}.`)
        }
      } catch (error) {
        if (signal.aborted) throw signal.reason
        return failed('CRASHED', `Claude Code failed: ${error.name}.`)
      }
    },
  })
}

function* updatesOf({ type, event, message }) {
  if (type === 'stream_event' && event.delta?.type === 'text_delta') yield { type: 'text', text: event.delta.text }
  for (const block of type === 'assistant' ? message.content : [])
    if (block.type === 'tool_use') yield { type: 'tool-call', toolCallId: block.id, name: block.name, input: block.input }
}

/** The output is what was streamed. An error's own text may quote a key, so that only its name goes out. */
function failed(code, message) {
  return { output: [], stopReason: 'error', failure: { code, phase: 'running', retryable: false, message } }
}
