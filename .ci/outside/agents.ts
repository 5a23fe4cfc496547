/** Someone else's agents, with a tool to delegate by. */
import { ToolLoopAgent } from 'ai'
import { createSubagentService, rootAgent } from 'xstate-subagents'
import { createAgents } from 'xstate-subagents/agents'
import { aiSdkAgentProvider, spawnProvider } from 'xstate-subagents/providers'
import { scriptedModel } from 'xstate-subagents/testing'
import { subagentTool } from 'xstate-subagents/tools'

const agents = createAgents({ model: scriptedModel(['Three.']) })
export const service = createSubagentService({ providers: [spawnProvider({ agents })] })
export const tool = subagentTool({ service, provider: 'spawn', parent: rootAgent() })
export const theirs = aiSdkAgentProvider({ name: 'theirs', agent: new ToolLoopAgent({ model: scriptedModel(['Three.']) }) })
