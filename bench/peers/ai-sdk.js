/**
 * The AI SDK by itself: a tool whose `execute` runs the child, with the signal of the call handed on, as its documentation on
 * subagents has it.
 */
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai'
import { childModel, parentModel } from './ai-model.js'
import { system, task, toolDescription } from './script.js'
import { versionOf } from './version.js'

export const name = 'AI SDK'
export const version = versionOf('ai')
export const modes = ['streamed', 'whole']

const inputSchema = jsonSchema({
  type: 'object',
  properties: { description: { type: 'string' }, prompt: { type: 'string' } },
  required: ['prompt'],
  additionalProperties: false,
})
const child = ({ prompt }, { abortSignal }) => ({ model: childModel, system: system.child, prompt, abortSignal })
const tools = {
  streamed: tool({ description: toolDescription, inputSchema, execute: async (input, call) => await streamText(child(input, call)).text }),
  whole: tool({ description: toolDescription, inputSchema, execute: async (input, call) => (await generateText(child(input, call))).text }),
}
const model = parentModel('subagent')

export async function delegate(mode) {
  const { signal: abortSignal } = new AbortController()
  const parent = { model, system: system.parent, prompt: task, tools: { subagent: tools[mode] }, stopWhen: stepCountIs(5), abortSignal }
  if (mode === 'whole') return (await generateText(parent)).text
  let text = ''
  for await (const delta of streamText(parent).textStream) text += delta
  return text
}
