/** This package, with the parent an agent of its own too. */
import { createAgents } from '../../dist/agents/index.js'
import { createSubagentService } from '../../dist/index.js'
import { spawnProvider } from '../../dist/providers/index.js'
import { subagentTool } from '../../dist/tools/index.js'
import { childModel, childModelInOnePiece, parentModel, parentModelInOnePiece } from './ai-model.js'
import { system, task, toolDescription } from './script.js'
import { versionOf } from './version.js'

export const name = 'xstate-subagents'
export const version = versionOf('xstate-subagents', '../../dist/index.js')
export const modes = ['streamed', 'whole']

function parentsOf(child, modelOfParent) {
  const children = createAgents({ model: child, system: system.child })
  const service = createSubagentService({ providers: [spawnProvider({ agents: children })] })
  const subagent = subagentTool({ service, provider: 'spawn', description: toolDescription })
  return createAgents({ model: modelOfParent('subagent'), system: system.parent, tools: { subagent } })
}

// It streams always: whole is an answer that comes in one piece, and is not read before its end.
const parents = { streamed: parentsOf(childModel, parentModel), whole: parentsOf(childModelInOnePiece, parentModelInOnePiece) }

export async function delegate(mode) {
  let text = ''
  const onUpdate = (update) => {
    if (update.type === 'text') text += update.text
  }
  const { agent, dispose } = parents[mode].create(mode === 'streamed' ? { onUpdate } : {})
  agent.send(task)
  await agent.whenIdle()
  if (mode === 'whole') text = agent.session.events.at(-2).content[0].text
  await dispose()
  return text
}
