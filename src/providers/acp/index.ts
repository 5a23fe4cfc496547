/**
 * Children that are processes and speak the Agent Client Protocol (A1).
 *
 * @module xstate-subagents/acp
 */
export { acpProvider } from './provider.ts'
export type { AcpProviderOptions, AgentEnforces } from './options.ts'
export { knownAgents } from './known-agents.ts'
export type { KnownAgent, KnownAgentName } from './known-agents.ts'
export type { PermissionPolicy } from './permission.ts'
