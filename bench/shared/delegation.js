/** One scripted delegation, parent → tool → child → result, as this package does it. */
import { jsonSchema, tool } from 'ai'
import { createAgents } from '../../dist/agents/index.js'
import { createSubagentService } from '../../dist/index.js'
import { spawnProvider } from '../../dist/providers/index.js'
import { subagentTool } from '../../dist/tools/index.js'
import { calls, isAfterTool, model, says } from './script.js'

export const prompt = 'Find out how many there are.'
const order = { description: 'Count', prompt: 'Count them, and answer with the number.' }
export const read = tool({ inputSchema: jsonSchema({ type: 'object' }), execute: async () => 'ten lines of text '.repeat(20) })

/** The models of both. @param pieces in how many deltas an answer comes */
export function scripts(pieces) {
  const words = Array.from({ length: pieces }, (_, n) => `word ${n} `)
  const child = model((prompt) => (isAfterTool(prompt) ? says(...words) : calls('read', {})))
  const leader = model((prompt) => (isAfterTool(prompt) ? says(...words) : calls('subagent', order)))
  return { leader, child }
}

/** @param sessions where both agents keep their sessions @default in memory */
export function delegation({ leader, child }, sessions) {
  const kept = sessions && { sessions }
  const children = createAgents({ model: child, tools: { read }, ...kept })
  const service = createSubagentService({ providers: [spawnProvider({ agents: children })] })
  const subagent = subagentTool({ service, provider: 'spawn', agentOptions: { model: child } })
  const leaders = createAgents({ model: leader, tools: { subagent }, ...kept })
  return async () => {
    const { agent, dispose } = leaders.create()
    agent.send(prompt)
    await agent.whenIdle()
    const answer = agent.session.events.at(-2)
    await dispose()
    return answer.content[0].text
  }
}
