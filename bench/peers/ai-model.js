/** The script as models of the AI SDK, for all that take one: the AI SDK, Mastra, this package. */
import { answerOfChild, answerOfParent, order, piecesOf, usage } from './script.js'

const tokens = {
  inputTokens: { total: usage.input, noCache: usage.input, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: usage.output, text: usage.output, reasoning: 0 },
}
const finish = (unified) => ({ finishReason: { unified, raw: unified }, usage: tokens })

/** @param answer (prompt) => the text, or the call of a tool */
function createModel(modelId, answer) {
  return {
    specificationVersion: 'v3',
    provider: 'scripted',
    modelId,
    supportedUrls: {},
    async doGenerate({ prompt }) {
      const content = await answer(prompt)
      return { content: [content], ...finish(content.type === 'text' ? 'stop' : 'tool-calls'), warnings: [] }
    },
    async doStream({ prompt }) {
      const content = await answer(prompt)
      return { stream: ReadableStream.from(partsOf(content)) }
    },
  }
}

function partsOf(content) {
  const start = { type: 'stream-start', warnings: [] }
  if (content.type === 'tool-call') return [start, content, { type: 'finish', ...finish('tool-calls') }]
  return [
    start,
    { type: 'text-start', id: '0' },
    ...piecesOf(content.text).map((delta) => ({ type: 'text-delta', id: '0', delta })),
    { type: 'text-end', id: '0' },
    { type: 'finish', ...finish('stop') },
  ]
}

export const childModel = createModel('child', async () => ({ type: 'text', text: await answerOfChild() }))

export function parentModel(toolName) {
  const call = { type: 'tool-call', toolCallId: 'call-0', toolName, input: JSON.stringify(order) }
  return createModel('parent', async (prompt) => {
    const { role, content } = prompt.at(-1)
    return role === 'tool' ? { type: 'text', text: answerOfParent(content[0].output.value) } : call
  })
}
