/** The package as it is used from JavaScript: every entry loads, a delegation works. */
import assert from 'node:assert/strict'
import { createSubagentService, rootAgent } from 'xstate-subagents'
import { createAgents } from 'xstate-subagents/agents'
import { runMachine } from 'xstate-subagents/machines'
import { spawnProvider } from 'xstate-subagents/providers'
import { scriptedModel } from 'xstate-subagents/testing'
import { subagentTool } from 'xstate-subagents/tools'

const agents = createAgents({ model: scriptedModel(['Three.']) })
const service = createSubagentService({ providers: [spawnProvider({ agents })] })
const { output, stopReason } = await service.delegate('spawn', { parent: rootAgent({ cwd: process.cwd() }), prompt: 'How many?' })
assert.deepEqual([stopReason, output], ['completed', [{ type: 'text', text: 'Three.' }]])
assert.equal(runMachine.id, 'run')
assert.equal(typeof subagentTool({ service, provider: 'spawn', parent: rootAgent() }).execute, 'function')
await service.close()
