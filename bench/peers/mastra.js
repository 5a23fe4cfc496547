/** Mastra: the child among the `agents` of the parent. No memory, no storage, no observability. */
import { Agent } from '@mastra/core/agent'
import { childModel, parentModel } from './ai-model.js'
import { system, task, toolDescription } from './script.js'
import { versionOf } from './version.js'

export const name = 'Mastra'
export const version = versionOf('@mastra/core', '@mastra/core/agent')
export const modes = ['streamed', 'whole']

const child = new Agent({ id: 'child', name: 'child', description: toolDescription, instructions: system.child, model: childModel })
const parent = new Agent({
  id: 'parent',
  name: 'parent',
  instructions: system.parent,
  model: parentModel('agent-child'),
  agents: { child },
})

export async function delegate(mode) {
  const { signal: abortSignal } = new AbortController()
  if (mode === 'whole') return (await parent.generate(task, { maxSteps: 5, abortSignal })).text
  let text = ''
  for await (const delta of (await parent.stream(task, { maxSteps: 5, abortSignal })).textStream) text += delta
  return text
}
