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

/** What it takes to go on with an agent's session. */
interface Made {
  readonly created: CreatedAgent
  readonly log: SessionLog
  readonly history: MessageHistory
  readonly model: ModelObject
  /** Set once another agent has taken over. */
  continuedBy?: string
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
