/**
 * Ways of running a child in this process. Needs no `ai` of its own: the agents that are passed in bring it.
 *
 * @module xstate-subagents/providers
 */
export { aiSdkAgentProvider } from './ai-sdk/provider.ts'
export type { AiSdkAgent, AiSdkAgentCall, AiSdkAgentProviderOptions, AiSdkAgentStream } from './ai-sdk/provider.ts'
export { defineProvider } from './define.ts'
export type { DefineProviderOptions, ProviderAnswer, ProviderUpdates, ProviderYield } from './define.ts'
export { forkProvider } from './fork.ts'
export type { ForkProviderOptions } from './fork.ts'
export { startInProcessRun } from './in-process.ts'
export type { InProcessRunOptions } from './in-process.ts'
export { spawnProvider } from './spawn.ts'
export type { SpawnProviderOptions } from './spawn.ts'
