/** The factory of in-process agents and the place to look them up (G1). */
import type { LanguageModel, ToolSet } from 'ai'
import type { AnyActorRef } from 'xstate'
import { SubagentError } from '../errors.ts'
import { stderrLogger, systemClock, uniqueId } from '../run/defaults.ts'
import { copy, deepFreeze } from '../run/copy.ts'
import { invalid } from '../run/request.ts'
import type { Agent, AgentOptions, Clock, Logger, SessionEvent, SubagentUpdateContent, ToolFilter } from '../types.ts'
import { createAgent } from './agent.ts'
import type { AgentHandle, InProcessAgent } from './agent.ts'
import { checkAgentsOptions } from './check-options.ts'
import { modelFor } from './model.ts'
import type { ModelObject } from './model.ts'
import { createSessionLog } from './session.ts'
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

export interface Agents {
  /**
   * A new idle agent. Whoever creates it disposes it.
   *
   * @throws SubagentError NO_MODEL where no usable model is named
   * @throws SubagentError INVALID_REQUEST where an option has the wrong shape, the id is taken, a filter names an unknown tool
   */
  create(options?: CreateAgentOptions): AgentHandle
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
  checkCount('maxSteps', options.maxSteps, 1)
  checkCount('maxRetries', options.maxRetries, 0)
  const live = new Map<string, InProcessAgent>()

  const createId = (kind: 'agent' | 'session') => options.createId?.() ?? kind + uniqueId().slice('run'.length)

  const create = (request: CreateAgentOptions = {}): AgentHandle => {
    const { id = createId('agent'), options: agentOptions = {}, toolFilter, inheritedFilter, extraTools, beforeTool } = request
    check(request, id, agentOptions)
    if (live.has(id))
      throw new SubagentError(
        'INVALID_REQUEST',
        `An agent with the id ${JSON.stringify(id)} is alive. Pick another id, or dispose that one first.`,
      )
    const model = modelFor(options, agentOptions)
    const filter = intersectToolFilters(inheritedFilter, toolFilter)
    const system = [request.system ?? options.system, request.instruction].filter(Boolean).join('\n\n')
    const log = createSessionLog({
      header: {
        id: request.sessionId ?? createId('session'),
        ...(request.cwd !== undefined && { cwd: request.cwd }),
        ...(request.parentSession !== undefined && { parentSession: request.parentSession }),
        delegationDepth: request.delegationDepth ?? 0,
      },
      ...(request.seed && { seed: request.seed }),
      clock,
    })
    const handle = createAgent({
      id,
      options: Object.freeze({ ...agentOptions }),
      log,
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
      onDisposed: () => live.delete(id),
    })
    live.set(id, handle.agent)
    return handle
  }

  return { create, get: (id) => live.get(id), list: () => [...live.values()], modelFor: (agentOptions) => modelFor(options, agentOptions) }
}

function check(request: CreateAgentOptions, id: unknown, agentOptions: AgentOptions): void {
  if (typeof id !== 'string' || id === '') throw invalid('id', 'a non-empty string', id)
  if (typeof agentOptions !== 'object' || agentOptions === null) throw invalid('options', 'an object', agentOptions)
  for (const field of ['sessionId', 'cwd', 'parentSession'] as const)
    if (request[field] !== undefined && (typeof request[field] !== 'string' || request[field] === ''))
      throw invalid(field, 'a non-empty string', request[field])
  if (request.system !== undefined && typeof request.system !== 'string') throw invalid('system', "a string ('' for none)", request.system)
  if (request.instruction !== undefined && typeof request.instruction !== 'string')
    throw invalid('instruction', 'a string', request.instruction)
  if (request.seed !== undefined && !Array.isArray(request.seed)) throw invalid('seed', 'an array of session events', request.seed)
  checkCount('delegationDepth', request.delegationDepth, 0)
  checkCount('options.subagentDepth', agentOptions.subagentDepth, 0)
  checkCount('options.maxTokens', agentOptions.maxTokens, 1)
  checkCount('options.maxSteps', agentOptions.maxSteps, 1)
}

function checkCount(field: string, value: unknown, least: number): void {
  if (value === undefined) return
  if (!Number.isSafeInteger(value) || (value as number) < least || Object.is(value, -0))
    throw invalid(field, `a whole number from ${least}`, value)
}
