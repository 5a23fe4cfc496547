import { defineProvider } from 'xstate-subagents'
import type { ContentBlock, ProviderStartRequest, RunContext, SubagentProvider, SubagentResult } from 'xstate-subagents'

/** An agent behind an HTTP address: it gets the prompt as JSON and streams its answer as text. */
export function httpAgentProvider({ name = 'http', url }: { name?: string; url: string }): SubagentProvider {
  return defineProvider({ name, run: (request, context) => ask(url, request, context) })
}

async function ask(url: string, { prompt }: ProviderStartRequest, { signal, update }: RunContext): Promise<SubagentResult> {
  let text = ''
  const output = (): ContentBlock[] => (text === '' ? [] : [{ type: 'text', text }])
  try {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ prompt }), signal })
    if (!response.ok || !response.body) return failed(`The agent answered with status ${response.status}.`, output())
    for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
      text += part
      update({ type: 'text', text: part })
    }
    return { output: output(), stopReason: 'completed' }
  } catch {
    // What the child got done is kept, whatever ended it.
    if (signal.aborted) return { output: output(), stopReason: 'aborted' }
    return failed(`The agent at ${new URL(url).host} could not be reached, or broke off.`, output())
  }
}

function failed(message: string, output: ContentBlock[]): SubagentResult {
  return {
    output,
    stopReason: 'error',
    diagnostic: message,
    failure: { code: 'AGENT_UNREACHABLE', phase: 'running', retryable: true, message },
  }
}
