/**
 * The charts as they are: to draw, to explore with @xstate/graph, to read states and events by. Nothing here runs a child.
 *
 * @module xstate-subagents/machines
 */
export { runEffectNames, runMachine } from './run.ts'
export type {
  RunAction,
  RunEffectName,
  RunEffects,
  RunEvent,
  RunInput,
  RunLogic,
  RunMachine,
  RunMachineContext,
  RunOutcome,
  RunSnapshot,
  RunStateValue,
  RunTimer,
} from './run.ts'
export { agentMachine } from './agent.ts'
export type { AgentActorRef, AgentEvent, AgentInput, AgentLogic, AgentMachine, AgentSnapshot, AgentStateValue } from './agent.ts'
export { acpProcessMachine } from './acp-process.ts'
export type {
  AcpProcessActorRef,
  AcpProcessContext,
  AcpProcessEvent,
  AcpProcessInput,
  AcpProcessLogic,
  AcpProcessMachine,
  AcpProcessSnapshot,
  AcpProcessStage,
  AcpProcessStateValue,
} from './acp-process.ts'
export { registryConfig } from './registry.ts'
export type { RegistryEvent, RegistryInput, RegistryLogic, RegistryReply, RegistrySnapshot, RegistryState } from './registry.ts'
