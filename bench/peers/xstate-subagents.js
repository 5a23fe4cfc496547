/** This package, with the parent an agent of its own too. */
import { createAgents } from '../../dist/agents/index.js'
import { createSubagentService } from '../../dist/index.js'
import { spawnProvider } from '../../dist/providers/index.js'
import { subagentTool } from '../../dist/tools/index.js'
import { childModel, parentModel } from './ai-model.js'
import { system, task, toolDescription } from './script.js'
import { versionOf } from './version.js'

export const name = 'xstate-subagents'
export const version = versionOf('xstate-subagents', '../../dist/index.js')
export const modes = ['streamed']

const children = createAgents({ model: childModel, system: system.child })
const service = createSubagentService({ providers: [spawnProvider({ agents: children })] })
const subagent = subagentTool({ service, provider: 'spawn', description: toolDescription })
const parents = createAgents({ model: parentModel('subagent'), system: system.parent, tools: { subagent } })

export async function delegate() {
  let text = ''
  const { agent, dispose } = parents.create({
    onUpdate: (update) => {
      if (update.type === 'text') text += update.text
    },
  })
  agent.send(task)
  await agent.whenIdle()
  await dispose()
  return text
}
