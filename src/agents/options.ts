/** What a factory of agents and its agents are made with, and what the factory can do. */
import type { LanguageModel, ToolSet } from 'ai'
import type { AnyActorRef } from 'xstate'
import type {
  Agent,
  AgentOptions,
  Clock,
  Logger,
  Session,
  SessionEvent,
  SessionOrigin,
  SubagentUpdateContent,
  ToolFilter,
} from '../types.ts'
import type { AgentHandle, InProcessAgent } from './agent.ts'
import type { ModelObject } from './model.ts'

/** What all agents of one factory have in common: models, tools, where sessions are kept. */
export interface CreateAgentsOptions {
  /** Model of agents that name none: a model object of the AI SDK, or an id for `resolveModel`. */
  readonly model?: LanguageModel
  /** From a model id to a model. Without it, ids are refused: they never reach the AI SDK's global provider. */
  readonly resolveModel?: (id: string) => LanguageModel
  /**
   * Tools of every agent. A function is called when an agent is created, when `agent.ref` is not there yet, and before
   * each step, so that tools may come and go.
   */
  readonly tools?: ToolSet | ((agent: Agent) => ToolSet)
  /**
   * Keeps sessions as files, `<directory>/<session id>.jsonl`: a header, then an event a line (G8). All events are with the
   * operating system before the next step begins: they outlive the process, however it ends, and not a power cut. The
   * directory is made where it is missing. A step costs a write of some microseconds on a local disk; one that stalls
   * holds the process. @default in memory alone
   */
  readonly sessions?: { readonly directory: string }
  /** System prompt of agents that bring none. */
  readonly system?: string
  /** Model calls a turn may take (G11). @default 50 */
  readonly maxSteps?: number
  /** Retries of a failed model call. @default the AI SDK's, 2 */
  readonly maxRetries?: number
  /** @default the system's clock */
  readonly clock?: Clock
  /** Ids of agents and sessions. @default ids that are unique across processes, `agent-…` and `session-…` */
  readonly createId?: () => string
  /** @default writes warnings and errors to stderr */
  readonly logger?: Logger
}

/** What is particular to one agent. */
export interface CreateAgentOptions {
  /** Unique among the live agents of the factory. @default generated */
  readonly id?: string
  /** @default generated */
  readonly sessionId?: string
  readonly options?: AgentOptions
  /** Absolute working directory. */
  readonly cwd?: string
  /** Session id of the agent that delegates. */
  readonly parentSession?: string
  /** @default 0 */
  readonly delegationDepth?: number
  /** What led to it from another process; its own delegations then tell of it. @default nothing */
  readonly origin?: SessionOrigin
  /** Events to begin with, `seq` from 0 without gaps; copied in, and counted in `header.seedLength`. */
  readonly seed?: readonly SessionEvent[]
  /**
   * Goes on with the session of this agent of the same factory, which rests or is disposed, and is ended by it. The header
   * stays as it is: `sessionId`, `seed`, `cwd`, `parentSession`, `delegationDepth` and `origin` have to be left out.
   */
  readonly continues?: Agent
  /** System prompt; `''` means none. @default the factory's */
  readonly system?: string
  /** Stands after the system prompt, also where there is none: what this agent has to do whoever it is. */
  readonly instruction?: string
  /** Which of the factory's tools the agent sees; every name has to exist. */
  readonly toolFilter?: ToolFilter
  /** A parent's filter, on top of which `toolFilter` applies; its names are not checked. */
  readonly inheritedFilter?: ToolFilter
  /** Tools of this agent alone that no filter hides. */
  readonly extraTools?: ToolSet
  /**
   * Asked after each step that called tools, when their results are in the log: true ends the turn as completed, without
   * another model call. What was steered into that step is kept in the log, unanswered.
   */
  readonly concludeWhen?: () => boolean
  /**
   * Called before each tool call, in the order in which the model made them; the tool waits for the promise. What it throws,
   * or rejects with, is the call's error result, and the tool is not executed.
   */
  readonly beforeTool?: (
    name: string,
    options: { readonly toolCallId: string; readonly abortSignal?: AbortSignal | undefined },
  ) => void | Promise<void>
  /** Parent of the agent's actor; when it stops the actor, the agent is disposed. @default none, the actor is a root */
  readonly parentActor?: AnyActorRef
  /**
   * Hears of deltas, tool calls, tool results and usage while a turn runs. Usage is the sum since the agent last began
   * to run.
   *
   * Contract: called synchronously and in order, also for each delta, so it should be quick; what it throws is logged
   * once a turn and changes nothing.
   */
  readonly onUpdate?: (update: SubagentUpdateContent) => void
}

/** What can be said of an agent that goes on with a session that is there already. */
export type ResumeAgentOptions = Omit<
  CreateAgentOptions,
  'sessionId' | 'seed' | 'cwd' | 'parentSession' | 'delegationDepth' | 'origin' | 'continues'
>

/** Makes in-process agents. Each is disposed by whoever made it, or by the run whose child it is; the factory itself holds nothing open. */
export interface Agents {
  /**
   * A new idle agent. Whoever creates it disposes it.
   *
   * @throws SubagentError NO_MODEL where no usable model is named
   * @throws SubagentError INVALID_REQUEST where an option has the wrong shape, the id is taken, a filter names an unknown tool
   */
  create(options?: CreateAgentOptions): AgentHandle
  /**
   * A new idle agent that goes on with a kept session (G8). Whoever resumes it disposes it.
   *
   * @throws SubagentError INVALID_REQUEST where no directory was named, there is no such session, its file is none, or
   * somebody else has it: an agent of this process or another process
   * @throws SubagentError NO_MODEL
   */
  resume(sessionId: string, options?: ResumeAgentOptions): AgentHandle
  /**
   * A session by its id, as it is now: that of a live agent, else what is kept of it.
   *
   * @throws SubagentError INVALID_REQUEST where there is no such session, or its file is none
   */
  readSession(sessionId: string): Session
  /** Absolute path of the file that keeps a session; undefined where none does. The file of a new session comes with its first step. */
  sessionPath(sessionId: string): string | undefined
  /**
   * Frees a kept session whose lock was left by somebody of whom it cannot be told from here whether he is alive: another
   * host, another container, a worker thread that was terminated. Only for who knows that he is not: two who write one session
   * spoil it. A lock of a process that has ended needs none of this.
   *
   * @returns whether there was a lock
   * @throws SubagentError INVALID_REQUEST where no directory was named, or the holder is known to be alive
   */
  unlock(sessionId: string): boolean
  /** The live agent of that id. */
  get(id: string): InProcessAgent | undefined
  /** The live agents, oldest first. */
  list(): readonly InProcessAgent[]
  /**
   * The model that an agent with these options would talk to.
   *
   * @throws SubagentError NO_MODEL
   */
  modelFor(options: AgentOptions): ModelObject
}
