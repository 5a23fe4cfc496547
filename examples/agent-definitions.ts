import { readdir, readFile } from 'node:fs/promises'
import { jsonSchema, tool, type ToolSet } from 'ai'
import { createSubagentService, rootAgent } from 'xstate-subagents'
import { createAgents } from 'xstate-subagents/agents'
import { spawnProvider } from 'xstate-subagents/providers'
import { scriptedModel } from 'xstate-subagents/testing'
import { loadAgentDefinitions, subagentTool } from 'xstate-subagents/tools'

// Plays the parent, which delegates to two agents, and both of them: each says with which text and tools it works.
const model = scriptedModel(({ prompt, tools, lastUserText }) => {
  const [first] = prompt
  if (first?.role === 'system') return `I was told "${first.content.split(/[,.:]/)[0]}…" and have ${tools.join(', ')}.`
  if (prompt.at(-1)?.role === 'tool') return 'Both have answered.'
  const call = (agent: string) => ({ name: 'subagent', input: { agent, description: agent, prompt: lastUserText } })
  return { tools: [call('code-reviewer'), call('summariser')] }
})

const path = jsonSchema<{ path: string }>({ type: 'object', properties: { path: { type: 'string' } }, required: ['path'] })
const tools: ToolSet = {
  read: tool({ description: 'Reads a file.', inputSchema: path, execute: ({ path }) => readFile(path, 'utf8') }),
  list: tool({ description: 'Lists a folder.', inputSchema: path, execute: ({ path }) => readdir(path) }),
}
const agents = createAgents({ model, tools: () => tools })
const service = createSubagentService({ providers: [spawnProvider({ agents })] })
service.on('subagent/end', ({ lastAssistantMessage }) => {
  for (const block of lastAssistantMessage ?? []) if (block.type === 'text') console.log(block.text)
})

const definitions = await loadAgentDefinitions('examples/agents', {
  tools: [...Object.keys(tools), 'subagent'],
  toolNames: { Read: 'read', LS: 'list', Glob: 'list' },
  models: {}, // { sonnet: anthropic('…') }
  logger: { debug() {}, error() {}, warn: (message) => console.log(`warning: ${message}`) },
})
tools['subagent'] = subagentTool({ service, agents: definitions })

await service.delegate('spawn', { parent: rootAgent({ cwd: process.cwd() }), prompt: 'What is in src/?' })
await service.close()
