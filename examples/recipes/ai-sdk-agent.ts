import { tool, ToolLoopAgent } from 'ai'
import { createSubagentService, rootAgent } from 'xstate-subagents'
import { aiSdkAgentProvider } from 'xstate-subagents/providers'
import { scriptedModel } from 'xstate-subagents/testing'
import { z } from 'zod'

const search = tool({ inputSchema: z.object({ query: z.string() }), execute: ({ query }) => `3 files match ${query}` })
const model = scriptedModel([{ tools: [{ name: 'search', input: { query: 'TODO' } }] }, { text: ['Three files ', 'have TODOs.'] }])
const researcher = new ToolLoopAgent({ model, tools: { search }, instructions: 'You find things.' }) // as you have it already

const service = createSubagentService({ providers: [aiSdkAgentProvider({ name: 'researcher', agent: researcher })] })
const run = service.start('researcher', { parent: rootAgent({ cwd: process.cwd() }), prompt: 'Which files have TODOs?' })
for await (const { seq: _, at: __, runId: ___, ...update } of run.updates) console.log(JSON.stringify(update))
const { stopReason, output } = await run.result
console.log(stopReason, output)
await service.close()
