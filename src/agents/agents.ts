/** The factory of in-process agents and the place to look them up (G1). */
import type { LanguageModel, ToolSet } from 'ai'
import type { AnyActorRef } from 'xstate'
import { SubagentError } from '../errors.ts'
import { stderrLogger, systemClock, uniqueId } from '../run/defaults.ts'
import { copy, deepFreeze } from '../run/copy.ts'
import type { Agent, AgentOptions, Clock, Logger, Session, SessionEvent, SubagentUpdateContent, ToolFilter } from '../types.ts'
import { createAgent } from './agent.ts'
import type { AgentHandle, CreatedAgent, InProcessAgent } from './agent.ts'
import { checkAgentRequest, checkAgentsOptions } from './check-options.ts'
import { createMessageHistory } from './messages.ts'
import type { MessageHistory } from './messages.ts'
import { modelFor } from './model.ts'
import type { ModelObject } from './model.ts'
import { createSessionLog } from './sessions/log.ts'
import type { SessionLog } from './sessions/log.ts'
import { checkToolFilter, intersectToolFilters } from './tool-filter.ts'
import { createToolbox } from './tools.ts'

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
  /** Events to begin with, `seq` from 0 without gaps; copied in, and counted in `header.seedLength`. */
  readonly seed?: readonly SessionEvent[]
  /**
   * Goes on with the session of this agent of the same factory, which rests or is disposed, and is ended by it. The header
   * stays as it is: `sessionId`, `seed`, `cwd`, `parentSession` and `delegationDepth` have to be left out.
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
  readonly beforeTool?: (name: string, toolCallId: string) => void | Promise<void>
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
export type ResumeAgentOptions = Omit<CreateAgentOptions, 'sessionId' | 'seed' | 'cwd' | 'parentSession' | 'delegationDepth' | 'continues'>

/** What it takes to go on with an agent's session. */
interface Made {
  readonly created: CreatedAgent
  readonly log: SessionLog
  readonly history: MessageHistory
  readonly model: ModelObject
  /** Set once another agent has taken over. */
  continuedBy?: string
}

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

/**
 * Makes the factory of in-process agents, which runs their turns on the AI SDK (G1).
 *
 * @example
 * ```ts
 * const agents = createAgents({ model: openai('gpt-5'), tools: { search } })
 * const { agent, dispose } = agents.create()
 * agent.send('Find every TODO and rank them.')
 * await agent.whenIdle()
 * console.log(agent.session.events)
 * await dispose()
 * ```
 */
export function createAgents(options: CreateAgentsOptions): Agents {
  checkAgentsOptions(options)
  const { tools = {}, clock = systemClock, logger = stderrLogger } = options
  const live = new Map<string, InProcessAgent>()
  const made = new WeakMap<Agent, Made>()

  const createId = (kind: 'agent' | 'session') => options.createId?.() ?? kind + uniqueId().slice('run'.length)

  const create = (request: CreateAgentOptions = {}): AgentHandle => {
    const { id = createId('agent'), options: agentOptions = {}, toolFilter, inheritedFilter, extraTools, beforeTool } = request
    checkAgentRequest(request, id, agentOptions)
    if (live.has(id))
      throw new SubagentError(
        'INVALID_REQUEST',
        `An agent with the id ${JSON.stringify(id)} is alive. Pick another id, or dispose that one first.`,
      )
    const model = modelFor(options, agentOptions)
    const filter = intersectToolFilters(inheritedFilter, toolFilter)
    const system = [request.system ?? options.system, request.instruction].filter(Boolean).join('\n\n')
    const earlier = request.continues === undefined ? undefined : earlierOf(request.continues)
    const log =
      earlier?.log.handOn() ??
      createSessionLog({
        header: {
          id: request.sessionId ?? createId('session'),
          ...(request.cwd !== undefined && { cwd: request.cwd }),
          ...(request.parentSession !== undefined && { parentSession: request.parentSession }),
          delegationDepth: request.delegationDepth ?? 0,
        },
        ...(request.seed && { seed: request.seed }),
        clock,
      })
    // Its messages carry reasoning and signatures that the log does not, and that only the model which made them can use.
    const history = earlier && isSameModel(earlier.model, model) ? earlier.history : createMessageHistory()
    const created = createAgent({
      id,
      options: Object.freeze({ ...agentOptions }),
      log,
      history,
      model,
      system: system === '' ? undefined : system,
      toolFilter: filter && deepFreeze(copy(filter)),
      maxSteps: agentOptions.maxSteps ?? options.maxSteps ?? 50,
      maxRetries: options.maxRetries,
      concludeWhen: request.concludeWhen,
      createToolbox(parts) {
        const toolbox = createToolbox({
          ...parts,
          source: tools,
          ...(filter && { filter }),
          ...(extraTools && { extra: extraTools }),
          ...(beforeTool && { before: beforeTool }),
        })
        if (toolFilter) checkToolFilter(toolFilter, toolbox.known)
        return toolbox
      },
      parentActor: request.parentActor,
      onUpdate: request.onUpdate,
      logger,
      onDisposed() {
        if (live.get(id) === handle.agent) live.delete(id)
      },
    })
    const { handle } = created
    if (earlier) {
      earlier.continuedBy = id
      live.delete(earlier.created.handle.agent.id)
      void earlier.created.handle.dispose()
    }
    live.set(id, handle.agent)
    made.set(handle.agent, { created, log, history, model })
    return handle
  }

  const earlierOf = (agent: Agent): Made => {
    const earlier = made.get(agent)
    const refuse = (why: string) => new SubagentError('INVALID_REQUEST', `continues: ${why}`)
    if (!earlier) throw refuse('it has to be an agent that this factory made.')
    if (earlier.continuedBy !== undefined)
      throw refuse(`the session of agent ${agent.id} is continued by agent ${earlier.continuedBy} already. Continue that one.`)
    if (!earlier.created.isAtRest())
      throw refuse(`agent ${agent.id} has work to do. Wait for its whenIdle(), or send it the message itself.`)
    return earlier
  }

  const readSession = (sessionId: string): Session => {
    const agent = [...live.values()].find(({ session }) => session.header.id === sessionId)
    if (agent) return agent.session
    throw new SubagentError(
      'INVALID_REQUEST',
      `There is no session ${JSON.stringify(sessionId)} here: no live agent has it, and none is kept.`,
    )
  }

  const resume = (sessionId: string): AgentHandle => {
    throw new SubagentError(
      'INVALID_REQUEST',
      `Session ${JSON.stringify(sessionId)} cannot be resumed: no directory for sessions was named.`,
    )
  }

  return {
    create,
    resume,
    readSession,
    get: (id) => live.get(id),
    list: () => [...live.values()],
    modelFor: (agentOptions) => modelFor(options, agentOptions),
  }
}

function isSameModel(first: ModelObject, second: ModelObject): boolean {
  return first.provider === second.provider && first.modelId === second.modelId
}
