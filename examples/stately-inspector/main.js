/**
 * A delegation on a scripted model, shown in Stately Inspector: three children at once, of which one answers, one fails
 * and one is cancelled.
 *
 *     node examples/stately-inspector/main.js [--port 8080] [--once]
 */
import { parseArgs } from 'node:util'
import { createSubagentService, rootAgent } from 'xstate-subagents'
import { createAgents } from 'xstate-subagents/agents'
import { createJournal, statelyInspector } from 'xstate-subagents/inspect'
import { spawnProvider } from 'xstate-subagents/providers'
import { scriptedModel } from 'xstate-subagents/testing'

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' }, once: { type: 'boolean', default: false } } })

const answers = {
  count: { delayMs: 2000, text: 'There are three.' },
  rank: { delayMs: 3000, error: { message: 'the model takes no such request', status: 400 } },
  fix: { hang: true },
}
const agents = createAgents({ model: scriptedModel(({ lastUserText }) => answers[lastUserText]), maxRetries: 0 })
const service = createSubagentService({ providers: [spawnProvider({ agents })] })

const journal = createJournal(service)
const inspector = await statelyInspector({ journal, port: Number(values.port) })
console.log(`Open ${inspector.url} in a browser that can reach stately.ai.`)

const parent = rootAgent({ cwd: process.cwd() })
const runs = Object.keys(answers).map((prompt) => service.start('spawn', { parent, prompt, label: prompt }))
setTimeout(() => runs[2].cancel('it would take too long'), 4000)

for (const { result } of runs) {
  const { stopReason, output, diagnostic } = await result
  console.log(stopReason, output[0]?.text ?? diagnostic ?? '')
}
await service.close()

if (!values.once) {
  console.log('Ctrl-C ends it.')
  await new Promise((resolve) => process.once('SIGINT', resolve))
}
// Viewers get what is left to tell, and their sockets are closed.
await inspector.close()
journal.close()
