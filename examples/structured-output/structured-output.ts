import { z } from 'zod'
import { createSubagentService, rootAgent } from 'xstate-subagents'
import { createAgents } from 'xstate-subagents/agents'
import { spawnProvider } from 'xstate-subagents/providers'
import { scriptedModel } from 'xstate-subagents/testing'

const give = (input: object) => ({ tools: [{ name: 'structured_output', input }] })
// Or any model of the AI SDK: this one gets it wrong at first, and then forgets to answer.
const model = scriptedModel([
  give({ todos: [{ file: 'server/loans.js', line: 'twelve' }] }),
  give({ todos: [{ file: 'server/loans.js', line: 12 }] }),
  'There is one in server/loans.js.',
])
const service = createSubagentService({ providers: [spawnProvider({ agents: createAgents({ model }) })] })
service.on('subagent/update', ({ update }) => {
  if (update.type === 'tool-result') console.log(`${update.toolCallId}: ${update.status}`)
})

const request = {
  parent: rootAgent(),
  prompt: 'Find every TODO',
  outputSchema: z.object({ todos: z.array(z.object({ file: z.string(), line: z.number() })) }),
}
const { structured } = await service.delegate('spawn', request)
// Typed by the schema.
for (const { file, line } of structured?.todos ?? []) console.log(`${file}:${line}`)

const { stopReason, failure, output } = await service.delegate('spawn', request)
console.log(stopReason, failure?.code, output)
await service.close()
