/**
 * LangGraph: the parent a graph of a model node and a tool node, the child a graph of one model node that a tool invokes. Both are
 * the leanest that the documentation builds, leaner than `createAgent`. No checkpointer; LangSmith is off.
 */
import { SystemMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt'
import { z } from 'zod'
import { childModel, parentModel } from './chat-model.js'
import { readMessages } from './read-messages.js'
import { order, system, task, toolDescription } from './script.js'
import { versionOf } from './version.js'

export const name = 'LangGraph'
export const version = versionOf('@langchain/langgraph')
export const modes = ['streamed', 'whole']

const ask = (model, prompt) => {
  const first = new SystemMessage(prompt)
  return async ({ messages }, config) => ({ messages: [await model.invoke([first, ...messages], config)] })
}

const child = new StateGraph(MessagesAnnotation)
  .addNode('model', ask(childModel, system.child))
  .addEdge(START, 'model')
  .addEdge('model', END)
  .compile()

const subagent = tool(
  async ({ prompt }, config) => {
    const { messages } = await child.invoke({ messages: [{ role: 'user', content: prompt }] }, config)
    return messages.at(-1).text
  },
  {
    name: 'subagent',
    description: toolDescription,
    schema: z.object({ description: z.string(), prompt: z.string() }),
  },
)

const parent = new StateGraph(MessagesAnnotation)
  .addNode('model', ask(parentModel('subagent', order).bindTools([subagent]), system.parent))
  .addNode('tools', new ToolNode([subagent]))
  .addEdge(START, 'model')
  .addConditionalEdges('model', toolsCondition, ['tools', END])
  .addEdge('tools', 'model')
  .compile()

export const delegate = (mode) => readMessages(parent, task, mode)
