/** The recipe on a chat model of this file: no network, no key. */
import { SimpleChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessageChunk } from '@langchain/core/messages'
import { ChatGenerationChunk } from '@langchain/core/outputs'
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { checkRecipe } from '../check-recipe.js'
import { langGraphProvider } from './provider.js'

class StandInModel extends SimpleChatModel {
  constructor(answer) {
    super({})
    this.answer = answer
  }
  _llmType() {
    return 'stand-in'
  }
  async *_streamResponseChunks(_messages, { signal }, runManager) {
    for await (const text of this.answer(signal)) {
      yield new ChatGenerationChunk({ text, message: new AIMessageChunk(text) })
      await runManager?.handleLLMNewToken(text)
    }
  }
}

function providerOn(name, answer) {
  const model = new StandInModel(answer)
  const respond = async ({ messages }, config) => {
    let whole
    for await (const chunk of await model.stream(messages, config)) whole = whole ? whole.concat(chunk) : chunk
    return { messages: [whole] }
  }
  const graph = new StateGraph(MessagesAnnotation).addNode('respond', respond).addEdge(START, 'respond').addEdge('respond', END).compile()
  return langGraphProvider({ name, graph })
}

let wasStopped = false
await checkRecipe({
  answers: providerOn('answers', async function* () {
    yield 'There are '
    yield 'three.'
  }),
  hangs: providerOn('hangs', async function* (signal) {
    yield 'half'
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })).finally(
      () => (wasStopped = true),
    )
  }),
  wasStopped: () => wasStopped,
  fails: providerOn('fails', async function* () {
    yield 'half'
    throw new Error('bad key sk-secret')
  }),
  code: 'MODEL_ERROR',
})
