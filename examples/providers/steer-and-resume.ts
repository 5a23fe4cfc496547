import { createSubagentService, rootAgent } from 'xstate-subagents'
import { createAgents } from 'xstate-subagents/agents'
import { spawnProvider } from 'xstate-subagents/providers'
import { scriptedModel } from 'xstate-subagents/testing'

// Or any model of the AI SDK: this one answers what the user said last, and counts what it was told.
const model = scriptedModel(({ prompt, lastUserText }) => `${lastUserText}: done (${prompt.length} messages).`)
const service = createSubagentService({ providers: [spawnProvider({ agents: createAgents({ model }) })] })

const run = service.start('spawn', { parent: rootAgent(), prompt: 'List the endpoints' })
run.sendMessage!('Leave out the deprecated ones')
console.log((await run.result).output)

// A settled child goes on in a run of its own, with all that was said.
const again = run.resume!('Sort them by name')
console.log((await again.result).output)

await service.close()
