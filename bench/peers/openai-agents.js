/** The OpenAI Agents SDK: the child as a tool by `agent.asTool()`. Tracing is off. */
import { Agent, Usage, run, setTracingDisabled } from '@openai/agents'
import { answerOfChild, answerOfParent, order, piecesOf, system, task, toolDescription, usage } from './script.js'
import { versionOf } from './version.js'

export const name = 'OpenAI Agents SDK'
export const version = versionOf('@openai/agents')
export const modes = ['streamed', 'whole']

setTracingDisabled(true)

const tokens = { requests: 1, inputTokens: usage.input, outputTokens: usage.output, totalTokens: usage.input + usage.output }
const message = (text) => ({ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] })

/** @param answer (input) => the text, or the call of a tool */
const createModel = (answer) => ({
  async getResponse({ input }) {
    const said = await answer(input)
    return { usage: new Usage(tokens), output: [typeof said === 'string' ? message(said) : said] }
  },
  async *getStreamedResponse({ input }) {
    const said = await answer(input)
    yield { type: 'response_started' }
    if (typeof said === 'string') for (const delta of piecesOf(said)) yield { type: 'output_text_delta', delta }
    yield { type: 'response_done', response: { id: 'response', usage: tokens, output: [typeof said === 'string' ? message(said) : said] } }
  },
})

const call = { type: 'function_call', callId: 'call-0', name: 'subagent', arguments: '', status: 'completed' }
const parentModel = createModel(async (input) => {
  const { type, output } = input.at(-1)
  if (type === 'function_call_result') return answerOfParent(output.text)
  return { ...call, arguments: JSON.stringify({ input: order.prompt }) }
})
const child = new Agent({ name: 'child', instructions: system.child, model: createModel(answerOfChild) })
const asTool = { toolName: 'subagent', toolDescription }
const parent = (options) =>
  new Agent({ name: 'parent', instructions: system.parent, model: parentModel, tools: [child.asTool({ ...asTool, ...options })] })
const parents = { streamed: parent({ onStream: () => {} }), whole: parent({}) }

export async function delegate(mode) {
  const { signal } = new AbortController()
  if (mode === 'whole') return (await run(parents.whole, task, { signal })).finalOutput
  const stream = await run(parents.streamed, task, { stream: true, signal })
  let text = ''
  for await (const delta of stream.toTextStream()) text += delta
  await stream.completed
  return text
}
