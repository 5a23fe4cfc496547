import { tool } from 'ai'
import { z } from 'zod'
import { createSubagentService } from 'xstate-subagents'
import { createAgents, parentFromMessages } from 'xstate-subagents/agents'
import { forkProvider, spawnProvider } from 'xstate-subagents/providers'
import { scriptedModel } from 'xstate-subagents/testing'

// Or any model of the AI SDK: this one tells what it was given.
const model = scriptedModel(({ prompt, tools }) => {
  const before = prompt.slice(0, -1).map(({ role, content }) => (typeof content === 'string' ? `${role} prompt` : role))
  return `I was given: ${before.join(', ') || 'nothing'}; tools: ${tools.join(', ') || 'none'}.`
})
const named = (description: string) => tool({ description, inputSchema: z.object({}), execute: () => 'done' })
const agents = createAgents({ model, tools: { read: named('Reads.'), write: named('Writes.') }, system: 'You are careful.' })
const service = createSubagentService({ providers: [spawnProvider({ agents }), forkProvider({ agents })] })

// A conversation that some other loop on the AI SDK leads; its last turn is not answered yet.
const parent = parentFromMessages({
  messages: [
    { role: 'user', content: 'Call the release Albatross.' },
    { role: 'assistant', content: 'Noted: Albatross.' },
    { role: 'user', content: 'Now write the announcement.' },
  ],
})
const ask = async (provider: string, more: object = {}) => {
  const { output } = await service.delegate(provider, { parent, prompt: 'What is the release called?', ...more })
  console.log(`${provider}: ${output.map((block) => (block.type === 'text' ? block.text : '')).join('')}`)
}
await ask('spawn')
await ask('fork')
await ask('fork', { persona: '', toolFilter: { deny: ['write'] } })
await service.close()
