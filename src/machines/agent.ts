/**
 * The agent machine: whether an agent rests, runs its turn loop, or is gone.
 *
 * Owns: the three states and what moves them. Does not own: messages, the model, the session (src/agents), which send
 * these events when they happen. A text delta is no event here; only the beginning and the end of running are.
 *
 * Invariants: driven by events alone, no invoke, after or always, so that its chart is drawn and explored as it stands;
 * the context is JSON (G2).
 */
import { setup } from 'xstate'
import type { ActorLogic, ActorRef, ActorSystem, AnyStateMachine, EventObject, MetaObject, Snapshot, StateMachine } from 'xstate'
import { rememberInitial, rememberSteps } from './steps.ts'

export type AgentEvent =
  /** The loop takes up what is queued. */
  | { readonly type: 'begin' }
  /** The loop has nothing left to do. */
  | { readonly type: 'rest' }
  | { readonly type: 'dispose' }

export interface AgentInput {
  readonly agentId: string
  readonly sessionId: string
}

export type AgentStateValue = 'idle' | 'running' | 'disposed'

export type AgentSnapshot = Snapshot<undefined> & {
  readonly value: AgentStateValue
  readonly context: AgentInput
  matches(value: AgentStateValue): boolean
  can(event: AgentEvent): boolean
}

/** The type of the logic, named so that declarations of machines that embed an agent stay short. */
export interface AgentLogic extends ActorLogic<AgentSnapshot, AgentEvent, AgentInput, ActorSystem<any>, EventObject> {}

/** The same machine with its config in reach, for drawing it and for generating its paths. */
export interface AgentMachine extends StateMachine<
  AgentInput,
  AgentEvent,
  {},
  never,
  never,
  never,
  never,
  AgentStateValue,
  string,
  AgentInput,
  {},
  EventObject,
  MetaObject,
  any
> {}

export type AgentActorRef = ActorRef<AgentSnapshot, AgentEvent>

export const agentMachine: AgentMachine = setup({
  types: { context: {} as AgentInput, events: {} as AgentEvent, input: {} as AgentInput },
}).createMachine({
  id: 'agent',
  context: ({ input }) => ({ agentId: input.agentId, sessionId: input.sessionId }),
  initial: 'idle',
  states: {
    idle: { on: { begin: 'running', dispose: 'disposed' } },
    running: { on: { rest: 'idle', dispose: 'disposed' } },
    disposed: { type: 'final' },
  },
}) as unknown as AgentMachine

/**
 * What an agent's actor runs: the machine, with its edges remembered, since working each out anew shows beside a short turn.
 * What inspection and persistence read is inherited.
 */
export const agentLogic: AgentLogic = rememberedAgent()

function rememberedAgent(): AgentLogic {
  const machine = agentMachine as unknown as AnyStateMachine
  const initial = rememberInitial(machine)
  const logic = Object.create(machine) as { -readonly [Key in keyof AgentLogic]: AgentLogic[Key] }
  logic.getInitialSnapshot = (_scope, input) => initial(input) as AgentSnapshot
  logic.transition = rememberSteps(machine) as AgentLogic['transition']
  return logic
}
