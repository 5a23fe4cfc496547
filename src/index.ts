/**
 * Types, errors, the service and the registry behind it. Needs `xstate` and nothing optional.
 *
 * @module xstate-subagents
 */
export { createSubagentService, subagentRegistry, subagentService } from './service.ts'
export type { SubagentService, SubagentServiceOptions } from './service.ts'
export { fromSubagent } from './embed.ts'
export type { SubagentLogic, SubagentSnapshot } from './embed.ts'
export { depthOf, rootAgent } from './parent.ts'
export type { RootAgentOptions } from './parent.ts'
export { defineProvider } from './providers/define.ts'
export type { DefineProviderOptions, ProviderAnswer, ProviderUpdates, ProviderYield } from './providers/define.ts'
export { errorCodes, failureCodes, SubagentDepthError, SubagentError } from './errors.ts'
export type { FailureCode, SubagentErrorCode } from './errors.ts'
export type { ProviderDisposer } from './registry/providers.ts'
export type { RegistryActorRef } from './registry/engine.ts'
export type { RegistryEvent, RegistryInput, RegistryLogic, RegistryReply, RegistrySnapshot } from './machines/registry.ts'
export type { RunEvent, RunSnapshot } from './machines/run.ts'
export type {
  Agent,
  AgentOptions,
  Clock,
  ContentBlock,
  Json,
  JsonSchema,
  Logger,
  ParentAgent,
  ParentRef,
  PermissionAnswer,
  PermissionHandler,
  PermissionQuestion,
  PermissionRequest,
  ProviderAddedEvent,
  ProviderRemovedEvent,
  ProviderResumeRequest,
  ProviderRun,
  ProviderStartRequest,
  ResolvedStartRequest,
  RunActorRef,
  RunContext,
  Session,
  SessionEvent,
  SessionHeader,
  SessionOrigin,
  StructuredOf,
  SubagentCapabilities,
  SubagentEndEvent,
  SubagentFailure,
  SubagentLifecycleEvent,
  SubagentProvider,
  SubagentResult,
  SubagentResumeRequest,
  SubagentRun,
  SubagentStartEvent,
  SubagentStartRequest,
  SubagentStopReason,
  SubagentStopReasonMap,
  SubagentUpdate,
  SubagentUpdateContent,
  SubagentUpdateEvent,
  SubagentUpdateMap,
  ToolFilter,
  TurnEndReason,
  Usage,
} from './types.ts'
