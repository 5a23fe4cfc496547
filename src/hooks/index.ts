/**
 * Hooks of Claude Code on the lifecycle of runs.
 *
 * @module xstate-subagents/hooks
 */
export { createHooksBridge } from './bridge.ts'
export type { HookAgent, HookAgents, HooksBridge, HooksBridgeOptions, HooksService } from './options.ts'
