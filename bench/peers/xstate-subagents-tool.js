/** This package's tool and children, in a loop of the AI SDK. */
import { stepCountIs, streamText } from 'ai'
import { createAgents } from '../../dist/agents/index.js'
import { createSubagentService, rootAgent } from '../../dist/index.js'
import { spawnProvider } from '../../dist/providers/index.js'
import { subagentTool } from '../../dist/tools/index.js'
import { childModel, parentModel } from './ai-model.js'
import { system, task, toolDescription } from './script.js'
import { versionOf } from './version.js'

export const name = 'AI SDK with the tool of xstate-subagents'
export const version = versionOf('xstate-subagents', '../../dist/index.js')
export const modes = ['streamed']

const children = createAgents({ model: childModel, system: system.child })
const service = createSubagentService({ providers: [spawnProvider({ agents: children })] })
const subagent = subagentTool({ service, provider: 'spawn', description: toolDescription, parent: rootAgent() })
const model = parentModel('subagent')

export async function delegate() {
  const { signal: abortSignal } = new AbortController()
  const parent = { model, system: system.parent, prompt: task, tools: { subagent }, stopWhen: stepCountIs(5), abortSignal }
  let text = ''
  for await (const delta of streamText(parent).textStream) text += delta
  return text
}
