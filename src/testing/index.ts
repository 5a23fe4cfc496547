/** Doubles for tests: deterministic, recording what they were asked. Needs no test runner. */
export { scriptedModel } from './scripted-model.ts'
export type {
  ScriptedAnswer,
  ScriptedCall,
  ScriptedError,
  ScriptedModel,
  ScriptedModelOptions,
  ScriptedStep,
  ScriptedText,
  ScriptedToolCall,
} from './scripted-model.ts'
export { scriptedProvider } from './scripted-provider.ts'
export type { ScriptedChild, ScriptedProvider, ScriptedProviderOptions, ScriptedRun, ScriptedRunStep } from './scripted-provider.ts'
export { createSimulatedClock } from './simulated-clock.ts'
export type { SimulatedClock } from './simulated-clock.ts'
