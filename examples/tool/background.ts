import { setTimeout } from 'node:timers/promises'
import { createSubagentService } from 'xstate-subagents'
import { createAgents } from 'xstate-subagents/agents'
import { spawnProvider } from 'xstate-subagents/providers'
import { scriptedModel } from 'xstate-subagents/testing'
import { subagentTools } from 'xstate-subagents/tools'

// The children take a moment each; any model of the AI SDK will do in their place.
const child = scriptedModel(({ lastUserText }) => ({ delayMs: /server/.test(lastUserText) ? 1500 : 20, text: `${lastUserText} Two.` }))
let runs = 0
const service = createSubagentService({
  providers: [spawnProvider({ agents: createAgents({ model: child }) })],
  createId: () => `run-${++runs}`,
})
const subagents = subagentTools({ service, provider: 'spawn', agentOptions: { model: child }, background: true })

const start = (folder: string) => ({
  name: 'subagent',
  input: { description: `TODOs in ${folder}`, prompt: `How many TODOs are in ${folder}?`, run_in_background: true },
})
const parent = scriptedModel([
  { tools: [start('web/'), start('server/')] },
  'Both are at work. What else?',
  // The next turn: what has ended meanwhile stands in the conversation, and the other one is waited for.
  ({ prompt }) => {
    const ids = [...new Set(JSON.stringify(prompt).match(/run-\d+/g))]
    return { tools: [{ name: 'subagent_list' }, { name: 'subagent_result', input: { id: ids[1] } }] }
  },
  'Four TODOs.',
])
const { agent, dispose } = createAgents({ model: parent, tools: () => subagents.current() }).create()

agent.send('Count the TODOs.')
await agent.whenIdle()
// The user thinks; web/ ends.
await setTimeout(300)
agent.send('And?')
await agent.whenIdle()

for (const event of agent.session.events) {
  if (event.type === 'tool/result') console.log(`${event.name}:`, event.output)
  if (event.type === 'context/message' || event.type === 'assistant/message')
    for (const block of event.content) if (block.type === 'text') console.log(`${event.type}:`, block.text)
}
await dispose()
await service.close()
