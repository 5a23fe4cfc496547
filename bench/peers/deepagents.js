/** deepagents: its `task` tool with one subagent. What it brings by itself stays: its prompts, its planning and file tools. LangSmith is off. */
import { createDeepAgent } from 'deepagents'
import { childModel, parentModel } from './chat-model.js'
import { readMessages } from './read-messages.js'
import { order, system, task, toolDescription } from './script.js'
import { versionOf } from './version.js'

export const name = 'deepagents'
export const version = versionOf('deepagents')
export const modes = ['streamed', 'whole']

const parent = createDeepAgent({
  model: parentModel('task', { description: order.prompt, subagent_type: 'subagent' }),
  systemPrompt: system.parent,
  subagents: [{ name: 'subagent', description: toolDescription, systemPrompt: system.child, model: childModel }],
})

export const delegate = (mode) => readMessages(parent, task, mode)
