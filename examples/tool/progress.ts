import { stepCountIs, streamText } from 'ai'
import { createSubagentService, rootAgent } from 'xstate-subagents'
import { createAgents } from 'xstate-subagents/agents'
import { spawnProvider } from 'xstate-subagents/providers'
import { scriptedModel } from 'xstate-subagents/testing'
import { isSubagentProgress, subagentTool } from 'xstate-subagents/tools'

const child = scriptedModel([{ text: ['There are ', 'three TODOs, ', 'two of them in server/.'], chunkDelayMs: 300 }])
const service = createSubagentService({ providers: [spawnProvider({ agents: createAgents({ model: child }) })] })
const subagent = subagentTool({ service, provider: 'spawn', parent: rootAgent({ cwd: process.cwd() }) })

const model = scriptedModel([
  { tools: [{ name: 'subagent', input: { description: 'Count TODOs', prompt: 'How many TODOs are there?' } }] },
  'Three.',
])
const result = streamText({ model, tools: { subagent }, prompt: 'Count the TODOs.', stopWhen: stepCountIs(3) })

// What a route handler returns with toUIMessageStreamResponse(), and useChat puts into the parts of its message.
for await (const chunk of result.toUIMessageStream()) {
  if (chunk.type !== 'tool-output-available') continue
  if (isSubagentProgress(chunk.output)) console.log(`${chunk.output.state}: ${chunk.output.text}`)
  else if (!chunk.preliminary) console.log('answer:', chunk.output)
}
await service.close()
