/** The same delegation on the AI SDK alone, as one would write that by hand. */
import { jsonSchema, stepCountIs, streamText, tool } from 'ai'
import { prompt, read } from './delegation.js'

export function byHand({ leader, child }) {
  const subagent = tool({
    description: 'Delegates a task.',
    inputSchema: jsonSchema({
      type: 'object',
      properties: { description: { type: 'string' }, prompt: { type: 'string' } },
      required: ['description', 'prompt'],
    }),
    execute: ({ prompt }, { abortSignal }) =>
      streamText({ model: child, tools: { read }, prompt, stopWhen: stepCountIs(50), abortSignal }).text,
  })
  return () => ask({ model: leader, tools: { subagent } })
}

/** A loop of the AI SDK, read as it streams. */
export async function ask({ model, tools }) {
  const { signal } = new AbortController()
  const result = streamText({ model, tools, prompt, stopWhen: stepCountIs(50), abortSignal: signal })
  let text = ''
  for await (const part of result.fullStream) if (part.type === 'text-delta') text += part.text
  return text
}
