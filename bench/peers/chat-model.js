/** The script as chat models of LangChain, for LangGraph and deepagents. */
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, AIMessageChunk } from '@langchain/core/messages'
import { ChatGenerationChunk } from '@langchain/core/outputs'
import { answerOfChild, answerOfParent, piecesOf, usage } from './script.js'

const tokens = { input_tokens: usage.input, output_tokens: usage.output, total_tokens: usage.input + usage.output }

class ScriptedChatModel extends BaseChatModel {
  constructor(answer) {
    super({})
    this.answer = answer
  }
  _llmType() {
    return 'scripted'
  }
  bindTools(_tools) {
    return this
  }
  async _generate(messages) {
    const { text, tool_calls = [] } = await this.answer(messages)
    return { generations: [{ text, message: new AIMessage({ content: text, tool_calls, usage_metadata: tokens }) }] }
  }
  async *_streamResponseChunks(messages, _options, runManager) {
    const { text, tool_calls } = await this.answer(messages)
    const messagesOf = tool_calls
      ? [new AIMessageChunk({ content: '', tool_call_chunks: tool_calls.map(chunkOf) })]
      : piecesOf(text).map((content) => new AIMessageChunk({ content }))
    for (const message of [...messagesOf, new AIMessageChunk({ content: '', usage_metadata: tokens })]) {
      const chunk = new ChatGenerationChunk({ text: message.text, message })
      yield chunk
      await runManager?.handleLLMNewToken(chunk.text, undefined, undefined, undefined, undefined, { chunk })
    }
  }
}

const chunkOf = ({ id, name, args }, index) => ({ type: 'tool_call_chunk', id, name, args: JSON.stringify(args), index })

export const childModel = new ScriptedChatModel(async () => ({ text: await answerOfChild() }))

export const parentModel = (name, args) =>
  new ScriptedChatModel(async (messages) => {
    const last = messages.at(-1)
    return last.type === 'tool'
      ? { text: answerOfParent(last.text) }
      : { text: '', tool_calls: [{ type: 'tool_call', id: 'call-0', name, args }] }
  })
