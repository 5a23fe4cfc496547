import { createSubagentService, rootAgent } from 'xstate-subagents'
import { createAgents } from 'xstate-subagents/agents'
import { spawnProvider } from 'xstate-subagents/providers'
import { scriptedModel } from 'xstate-subagents/testing'

const model = scriptedModel([{ text: ['Three TODOs, ', 'two of them in server/.'] }]) // or any model of the AI SDK
const service = createSubagentService({ providers: [spawnProvider({ agents: createAgents({ model }) })] })
service.on('subagent/start', ({ provider, label }) => console.log(`start ${provider}: ${label}`))
service.on('subagent/end', ({ provider, stopReason }) => console.log(`end ${provider}: ${stopReason}`))

const parent = rootAgent({ cwd: process.cwd() })
const run = service.start('spawn', { parent, prompt: 'Find every TODO and rank them', label: 'todos', timeoutMs: 60_000 })
for await (const update of run.updates) if (update.type === 'text') console.log(`… ${update.text}`)
console.log((await run.result).output)
await run.dispose()
