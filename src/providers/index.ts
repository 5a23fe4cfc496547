/** Ways of running a child in this process. Needs no `ai` of its own: the agents that are passed in bring it. */
export { defineProvider } from './define.ts'
export type { DefineProviderOptions, ProviderAnswer, ProviderUpdates, ProviderYield } from './define.ts'
export { startInProcessRun } from './in-process.ts'
export type { InProcessRunOptions } from './in-process.ts'
export { spawnProvider } from './spawn.ts'
export type { SpawnProviderOptions } from './spawn.ts'
