/**
 * In-process agents on the AI SDK.
 *
 * @module xstate-subagents/agents
 */
export { createAgents } from './agents.ts'
export type { Agents, CreateAgentOptions, CreateAgentsOptions, ResumeAgentOptions } from './options.ts'
export type { AgentHandle, InProcessAgent } from './agent.ts'
export type { ModelObject } from './model.ts'
export { parentFromMessages } from './parent-from-messages.ts'
export type { ParentFromMessagesOptions } from './parent-from-messages.ts'
export { intersectToolFilters, toolFilterOf } from './tool-filter.ts'
export type { AgentToolOptions } from './tools.ts'
