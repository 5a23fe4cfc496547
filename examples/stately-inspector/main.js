/**
 * A delegation on a scripted model, shown in Stately Inspector: three children at once, of which one answers, one fails
 * and one is cancelled.
 *
 *     node examples/stately-inspector/main.js [--port 8080] [--once]
 */
import { parseArgs } from 'node:util'
import { createWebSocketInspector } from '@statelyai/inspect'
import { createInspectorServer } from '@statelyai/inspect/server'
import { createSubagentService, rootAgent } from 'xstate-subagents'
import { createAgents } from 'xstate-subagents/agents'
import { spawnProvider } from 'xstate-subagents/providers'
import { scriptedModel } from 'xstate-subagents/testing'

const { values } = parseArgs({ options: { port: { type: 'string', default: '8080' }, once: { type: 'boolean', default: false } } })
const port = Number(values.port)

// No browser is opened unasked. The server keeps the last 200 messages for a viewer who comes late.
createInspectorServer({ port, autoOpen: false })
const { inspect } = createWebSocketInspector({
  url: `ws://localhost:${port}`,
  // What is in an event stays here, an answer for one; states and the names of events go out.
  sanitizeEvent: ({ type }) => ({ type }),
})
console.log(`Open http://localhost:${port} in a browser that can reach stately.ai.`)

const answers = {
  count: { delayMs: 2000, text: 'There are three.' },
  rank: { delayMs: 3000, error: { message: 'the model takes no such request', status: 400 } },
  fix: { hang: true },
}
const agents = createAgents({ model: scriptedModel(({ lastUserText }) => answers[lastUserText]), maxRetries: 0 })
const service = createSubagentService({ providers: [spawnProvider({ agents })], inspect })

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
  await new Promise(() => process.on('SIGINT', () => process.exit()))
}
// The inspector sends from timers, and would try for ever to keep its socket.
setTimeout(() => process.exit(), 200)
