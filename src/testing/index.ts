/**
 * Doubles, paths and the conformance kit for providers. Needs no test runner: only `describeProvider` looks for one, when it
 * is called.
 *
 * @module xstate-subagents/testing
 */
export { caseTimes, caseTitle } from './conformance/case.ts'
export type { ConductRule, ProviderAct, ProviderCase, ProviderExpectation, ResultExpectation } from './conformance/case.ts'
export { describeProvider } from './conformance/describe-provider.ts'
export type { DescribeProviderOptions, TestRunner } from './conformance/describe-provider.ts'
export { ProviderCaseError } from './conformance/failure.ts'
export { providerCases } from './conformance/provider-cases.ts'
export type { ProviderCasesOptions } from './conformance/provider-cases.ts'
export type { CaseId } from './conformance/requirements.ts'
export { runCase } from './conformance/run-case.ts'
export type { CaseOutcome, RunCaseOptions, Skips } from './conformance/run-case.ts'
export { skipProblems } from './conformance/skips.ts'
export type { ControlName, MakeProvider, ProviderSubject, SubjectSetting } from './conformance/subject.ts'
export { modelPaths } from './paths/model-paths.ts'
export type { ModelPathsOptions, Path, PathFilter, PathStep } from './paths/model-paths.ts'
export { runPaths } from './paths/run-paths.ts'
export type { RunPath, RunPathsOptions } from './paths/run-paths.ts'
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
