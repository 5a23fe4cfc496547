import { createAgents } from 'xstate-subagents/agents'
import { scriptedModel } from 'xstate-subagents/testing'

const model = scriptedModel(['There are three TODOs.', () => process.kill(process.pid, 'SIGKILL')])
const agents = createAgents({ model, sessions: { directory: process.argv[2] } })
const { agent } = agents.create({ sessionId: 'todos', cwd: '/project' })

agent.send('Count the TODOs.')
await agent.whenIdle()
// The process is killed while the model is at work on this one.
agent.send('Rank them.')
await agent.whenIdle()
