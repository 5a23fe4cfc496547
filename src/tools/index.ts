/** The tool that a model delegates with. Loads without `ai`. */
export { subagentTool } from './ai-tool.ts'
export type { SubagentToolOutput } from './ai-tool.ts'
export { defineSubagentTool } from './define.ts'
export type { SubagentToolDefinition } from './define.ts'
export type { SubagentToolCall } from './call.ts'
export type { SubagentToolInput } from './input.ts'
export type { DelegatingService, SubagentToolOptions } from './options.ts'
export type { SubagentToolResult } from './outcome.ts'
