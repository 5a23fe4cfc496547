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
import type { ActorLogic, ActorRef, ActorSystem, EventObject, MetaObject, Snapshot, StateMachine } from 'xstate'
import { rememberMachine } from './steps.ts'

/** What moves the actor of an in-process agent. Its turn loop sends them. */
export type AgentEvent =
  /** The loop takes up what is queued. */
  | { readonly type: 'begin' }
  /** The loop has nothing left to do. */
  | { readonly type: 'rest' }
  | { readonly type: 'dispose' }

/** Which agent the actor is, and the session that it has. */
export interface AgentInput {
  /** Unique in its `createAgents()`. */
  readonly agentId: string
  /** Of the session's header. */
  readonly sessionId: string
}

/** `running` while there is something queued or a turn is under way. */
export type AgentStateValue = 'idle' | 'running' | 'disposed'

/** An agent's state as observers see it: JSON but for its two methods. */
export type AgentSnapshot = Snapshot<undefined> & {
  /** Whether it works. */
  readonly value: AgentStateValue
  /** Stays what it was made with. */
  readonly context: AgentInput
  /** True in this state, or in one within it. */
  matches(value: AgentStateValue): boolean
  /** True where this event would move it. */
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

/** The actor of an in-process agent. */
export type AgentActorRef = ActorRef<AgentSnapshot, AgentEvent>

/** The chart of an in-process agent: `idle ⇄ running → disposed`. What it says and calls is in its session, not here. */
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

/** What an agent's actor runs: the machine remembered, since working each edge out anew shows beside a short turn. */
export const agentLogic: AgentLogic = rememberMachine(agentMachine)
