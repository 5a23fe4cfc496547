import { createSubagentService } from 'xstate-subagents'
import { createAgents } from 'xstate-subagents/agents'
import { forkProvider, spawnProvider } from 'xstate-subagents/providers'
import { scriptedModel } from 'xstate-subagents/testing'
import { subagentTools } from 'xstate-subagents/tools'

const model = scriptedModel(({ prompt, lastUserText }) => {
  if (prompt.at(-1)?.role === 'tool') return 'Done.'
  if (lastUserText !== 'Review my change.') return `As ${prompt[0]?.role === 'system' ? prompt[0].content : 'nobody'}: no complaints.`
  const task = { description: 'Review', prompt: 'Review the change in src/cart.ts: does every path give back its lock?' }
  return { tools: [{ name: 'subagent', input: { ...task, agent: 'reviewer' } }] }
})
const agents = createAgents({ model, tools: () => team.current() })
const service = createSubagentService({ providers: [spawnProvider({ agents })] })
const team = subagentTools({
  service,
  agents: [
    {
      name: 'reviewer',
      provider: 'spawn',
      description: 'Reviews code and finds what is wrong.',
      persona: 'a strict reviewer',
      toolFilter: { allow: [] },
    },
    { name: 'second-opinion', provider: 'fork', description: 'Thinks on about what was said.' },
  ],
})

const { agent, dispose } = agents.create()
console.log(team.current()['subagent']?.description)
agent.send('Review my change.')
await agent.whenIdle()
for (const event of agent.session.events) if (event.type === 'tool/result') console.log('\nsubagent:', event.output)

// The choice follows the registry.
service.registerProvider(forkProvider({ agents }))
console.log(team.current()['subagent']?.description)
await dispose()
await service.close()
