import { createSubagentService, defineProvider, rootAgent, SubagentError } from 'xstate-subagents'

const slow = defineProvider({ name: 'slow', capabilities: { depthLimit: true }, run: async () => 'done' })
const service = createSubagentService({ providers: [slow], maxConcurrentRuns: 2 })
service.on('subagent/start', ({ label }) => console.log(`start ${label}`))
service.on('subagent/end', ({ runId }) => console.log(`end ${runId}`))

const parent = rootAgent()
const runs = ['a', 'b', 'c'].map((id) => service.start('slow', { parent, prompt: 'work', id, label: id }))
console.log(runs.map(({ runId, ref }) => `${runId}: ${JSON.stringify(ref.getSnapshot().value)}`).join(', '))
await Promise.all(runs.map(({ result }) => result))

try {
  service.start('slow', { parent: rootAgent({ depth: 3 }), prompt: 'deeper', maxDepth: 3 })
} catch (error) {
  if (SubagentError.is(error, 'DEPTH_EXCEEDED')) console.log(error.message)
}
await service.close()
