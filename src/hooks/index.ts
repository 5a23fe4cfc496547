/** Hooks of Claude Code on the lifecycle of runs. */
export { createHooksBridge } from './bridge.ts'
export type { HookAgent, HookAgents, HooksBridge, HooksBridgeOptions, HooksService } from './options.ts'
