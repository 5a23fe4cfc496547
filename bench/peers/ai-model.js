/** The script as models of the AI SDK, for all that take one: the AI SDK, Mastra, this package. */
import { answerOfChild, answerOfParent, order, piecesOf, usage } from './script.js'

const tokens = {
  inputTokens: { total: usage.input, noCache: usage.input, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: usage.output, text: usage.output, reasoning: 0 },
}
const finish = (unified) => ({ finishReason: { unified, raw: unified }, usage: tokens })

/**
 * @param answer (prompt) => the text, or the call of a tool
 * @param pieces (text) => how it is streamed
 */
function createModel(modelId, answer, pieces) {
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
      return { stream: streamOf(partsOf(content, pieces)) }
    },
  }
}

/** All of it is there at once: what is measured is everything around a model. */
const streamOf = (parts) =>
  new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })

function partsOf(content, pieces) {
  const start = { type: 'stream-start', warnings: [] }
  if (content.type === 'tool-call') return [start, content, { type: 'finish', ...finish('tool-calls') }]
  return [
    start,
    { type: 'text-start', id: '0' },
    ...pieces(content.text).map((delta) => ({ type: 'text-delta', id: '0', delta })),
    { type: 'text-end', id: '0' },
    { type: 'finish', ...finish('stop') },
  ]
}

const inOnePiece = (text) => [text]

const childWith = (pieces) => createModel('child', async () => ({ type: 'text', text: await answerOfChild() }), pieces)

export const childModel = childWith(piecesOf)
/** For who streams what is not streamed. */
export const childModelInOnePiece = childWith(inOnePiece)

function parentWith(toolName, pieces) {
  const call = { type: 'tool-call', toolCallId: 'call-0', toolName, input: JSON.stringify(order) }
  const answer = async (prompt) => {
    const { role, content } = prompt.at(-1)
    return role === 'tool' ? { type: 'text', text: answerOfParent(content[0].output.value) } : call
  }
  return createModel('parent', answer, pieces)
}

export const parentModel = (toolName) => parentWith(toolName, piecesOf)
export const parentModelInOnePiece = (toolName) => parentWith(toolName, inOnePiece)
