/**
 * The tool that a model delegates with. Loads without `ai`.
 *
 * @module xstate-subagents/tools
 */
export { subagentTool } from './ai-tool.ts'
export type { SubagentToolOutput } from './ai-tool.ts'
export { defineSubagentTool } from './define.ts'
export type { SubagentToolDefinition } from './define.ts'
export { mountSubagentTool } from './mount.ts'
export type { MountTool, SubagentToolMount } from './mount.ts'
export { subagentTools } from './tool-set.ts'
export type { SubagentTools } from './tool-set.ts'
export type { SubagentToolCall } from './call.ts'
export type { SubagentToolInput } from './input.ts'
export type { DelegatingService, SubagentBackgroundOptions, SubagentToolAgent, SubagentToolOptions } from './options.ts'
export type { SubagentNotice } from './background/notice.ts'
export type { SubagentToolResult } from './outcome.ts'
export { isSubagentProgress } from './progress/snapshot.ts'
export type { SubagentProgress } from './progress/snapshot.ts'
export type { ToolCallProgress } from './progress/node.ts'
export { loadAgentDefinitions } from '../definitions/load.ts'
export type { LoadAgentDefinitionsOptions } from '../definitions/options.ts'
