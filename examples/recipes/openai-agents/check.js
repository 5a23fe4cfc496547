/** The recipe on a model of this file: no network, no key. */
import { Agent, setTracingDisabled, tool } from '@openai/agents'
import { z } from 'zod'
import { checkRecipe } from '../check-recipe.js'
import { openAiAgentsProvider } from './provider.js'

setTracingDisabled(true)

const search = tool({
  name: 'search',
  description: 'Searches.',
  parameters: z.object({ query: z.string() }),
  execute: ({ query }) => `3 hits for ${query}`,
})
const usage = { requests: 1, inputTokens: 1, outputTokens: 1, totalTokens: 2 }

function providerOn(name, answer) {
  const model = {
    getResponse: () => Promise.reject(new Error('The recipe streams.')),
    async *getStreamedResponse({ signal, input }) {
      yield { type: 'response_started' }
      if (name === 'answers' && input.length === 1) {
        const call = { type: 'function_call', callId: 'call', name: 'search', arguments: '{"query":"TODO"}', status: 'completed' }
        yield { type: 'response_done', response: { id: 'response', usage, output: [call] } }
        return
      }
      let text = ''
      for await (const delta of answer(signal)) {
        text += delta
        yield { type: 'output_text_delta', delta }
      }
      const message = { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] }
      yield { type: 'response_done', response: { id: 'response', usage, output: [message] } }
    },
  }
  return openAiAgentsProvider({ name, agent: new Agent({ name, instructions: 'Count.', model, tools: [search] }) })
}

let wasStopped = false
await checkRecipe({
  answers: providerOn('answers', async function* () {
    yield 'There are '
    yield 'three.'
  }),
  calls: ['search'],
  hangs: providerOn('hangs', async function* (signal) {
    yield 'half'
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })).finally(
      () => (wasStopped = true),
    )
  }),
  wasStopped: () => wasStopped,
  fails: providerOn('fails', async function* () {
    yield 'half'
    throw new Error('bad key sk-secret')
  }),
  code: 'MODEL_ERROR',
})
