import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSubagentService } from 'xstate-subagents'
import { createAgents } from 'xstate-subagents/agents'
import { spawnProvider } from 'xstate-subagents/providers'
import { scriptedModel } from 'xstate-subagents/testing'

const directory = mkdtempSync(join(tmpdir(), 'sessions-'))
const { signal } = spawnSync(process.execPath, ['examples/sessions/crash.js', directory])
console.log(`The first process was ended by ${signal}. What it left:`)
for (const line of readFileSync(join(directory, 'todos.jsonl'), 'utf8').trim().split('\n')) {
  const { type = 'the header', turn, content } = JSON.parse(line)
  console.log(['-', type, turn, content?.[0].text].filter(Boolean).join(' '))
}

const model = scriptedModel(({ prompt }) => `Of ${prompt.filter(({ role }) => role === 'user').length} messages: loans.js goes first.`)
const agents = createAgents({ model, sessions: { directory } })

// A session goes on as an agent.
const { agent, dispose } = agents.resume('todos')
const end = agent.session.events.at(-1)
console.log(end?.type === 'turn/end' && end.reason)
try {
  agents.resume('todos')
} catch (error) {
  console.log((error as Error).message.replace(/\(\d+\) since .*Z/, '(PID) since THEN'))
}
await dispose()

// Or as a run.
const service = createSubagentService({ providers: [spawnProvider({ agents })] })
const run = service.resume('spawn', { sessionId: 'todos', prompt: 'Rank them.' })
const { output, sessionId } = await run.result
console.log(sessionId, output)
await run.dispose()
await service.close()
