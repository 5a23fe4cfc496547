import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { jsonSchema, tool } from 'ai'
import { createSubagentService, rootAgent } from 'xstate-subagents'
import { createAgents } from 'xstate-subagents/agents'
import { createHooksBridge } from 'xstate-subagents/hooks'
import { spawnProvider } from 'xstate-subagents/providers'
import { scriptedModel } from 'xstate-subagents/testing'

const project = fileURLToPath(new URL('.', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'hooks-'))
const ends = join(folder, 'ends.txt')

// Plays the child: it reads a file, and then says what it was told meanwhile.
const told = (prompt: unknown) => /In this project[^"]*/.exec(JSON.stringify(prompt))?.[0] ?? 'nothing'
const model = scriptedModel([{ tools: [{ name: 'read' }] }, ({ prompt }) => `I was told: ${told(prompt)}`])
const read = tool({ description: 'Reads.', inputSchema: jsonSchema({ type: 'object' }), execute: () => hooks.idle() })
const agents = createAgents({ model, tools: { read } })

const service = createSubagentService({ providers: [spawnProvider({ agents })] })
const hooks = createHooksBridge({
  service,
  agents,
  config: join(project, '.claude/settings.json'),
  agentType: (_, request) => request?.label,
  // A hook gets no more of this process's environment than programs need to run.
  env: { ENDS: ends },
})

const request = { parent: rootAgent({ cwd: project }), prompt: 'Review the code', label: 'reviewer' }
await service.delegate('spawn', request)

// Nothing waits for a hook. Whoever wants to waits for all that are under way.
await hooks.idle()
console.log((await readFile(ends, 'utf8')).trim())

await hooks.dispose()
await service.close()
await rm(folder, { recursive: true })
