/**
 * A model object of the AI SDK whose answers are ready: what is measured is everything around a model. It does less than
 * any model of a provider, so that nothing hides behind it.
 */

const usage = { inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 10, text: 10, reasoning: 0 } }
const end = (unified) => ({ type: 'finish', finishReason: { unified, raw: unified }, usage })
const begin = { type: 'stream-start', warnings: [] }

/** An answer in `pieces`. */
export const says = (...pieces) => [
  begin,
  { type: 'text-start', id: 'text' },
  ...pieces.map((delta) => ({ type: 'text-delta', id: 'text', delta })),
  { type: 'text-end', id: 'text' },
  end('stop'),
]

export const calls = (toolName, input) => [
  begin,
  { type: 'tool-call', toolCallId: `call-${toolName}`, toolName, input: JSON.stringify(input) },
  end('tool-calls'),
]

/** @param answerTo gives the parts of the answer to a prompt; undefined for an answer that does not come until it is aborted */
export const model = (answerTo) => ({
  specificationVersion: 'v3',
  provider: 'bench',
  modelId: 'bench',
  supportedUrls: {},
  doStream: async ({ prompt, abortSignal }) => ({ stream: streamOf(answerTo(prompt), abortSignal) }),
  doGenerate: () => Promise.reject(new Error('All answers are streamed.')),
})

const streamOf = (parts, signal) =>
  new ReadableStream({
    start(controller) {
      if (!parts) return void signal?.addEventListener('abort', () => controller.error(signal.reason), { once: true })
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })

/** Whether a tool has answered the last message. */
export const isAfterTool = (prompt) => prompt.at(-1).role === 'tool'
