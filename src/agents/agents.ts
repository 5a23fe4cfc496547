/** The factory of in-process agents and the place to look them up (G1). */
import { SubagentError } from '../errors.ts'
import { ownOrigin } from '../parent.ts'
import { copy, deepFreeze } from '../run/copy.ts'
import { describeReason } from '../run/contain.ts'
import { stderrLogger, systemClock, uniqueId } from '../run/defaults.ts'
import { invalid } from '../run/request.ts'
import type { Agent, Session } from '../types.ts'
import { createAgent } from './agent.ts'
import type { AgentHandle, CreatedAgent, InProcessAgent } from './agent.ts'
import { checkAgentRequest, checkAgentsOptions } from './check-options.ts'
import { createMessageHistory } from './messages.ts'
import type { MessageHistory } from './messages.ts'
import { modelFor } from './model.ts'
import type { ModelObject } from './model.ts'
import type { Agents, CreateAgentOptions, CreateAgentsOptions, ResumeAgentOptions } from './options.ts'
import { openSessionDirectory } from './sessions/directory.ts'
import { createSessionLog, reopenSessionLog } from './sessions/log.ts'
import type { SessionLog } from './sessions/log.ts'
import { closingEntries } from './sessions/repair.ts'
import { checkToolFilter, intersectToolFilters } from './tool-filter.ts'
import { createToolbox } from './tools.ts'

export type { Agents, CreateAgentOptions, ResumeAgentOptions } from './options.ts'

/** What it takes to go on with an agent's session. */
interface Made {
  readonly created: CreatedAgent
  readonly log: SessionLog
  readonly history: MessageHistory
  readonly model: ModelObject
  /** Names that its filters had, which were checked then: the factory's tools may have come and gone since. */
  readonly filterNames: readonly string[]
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
  /** On each agent, what this factory has of it. In a WeakMap it would outlive every short collection, with all that hangs on it. */
  const made = Symbol('made by createAgents()')
  const directory = options.sessions && openSessionDirectory({ directory: options.sessions.directory, clock, logger })

  const createId = (kind: 'agent' | 'session') => options.createId?.() ?? kind + uniqueId().slice('run'.length)

  const create = (request: CreateAgentOptions = {}): AgentHandle => {
    const { continues, sessionId, cwd, parentSession, delegationDepth = 0, origin, seed } = request
    if (continues !== undefined)
      return make(
        request,
        () => {
          const earlier = earlierOf(continues)
          return { log: earlier.log.handOn(), earlier }
        },
        true,
      )
    return make(request, () => {
      // What may repeat, as ids of a user's own may, has to be looked for first.
      const anew = sessionId === undefined && !options.createId ? directory?.createNew() : undefined
      const id = anew?.sessionId ?? sessionId ?? createId('session')
      const header = {
        id,
        ...(cwd !== undefined && { cwd }),
        ...(parentSession !== undefined && { parentSession }),
        delegationDepth,
        ...(origin !== undefined && { origin: ownOrigin(origin) }),
      }
      const store = anew?.store ?? directory?.create(id)
      try {
        return { log: createSessionLog({ header, clock, ...(seed && { seed }), ...(store && { store }) }) }
      } catch (thrown) {
        store?.close()
        throw thrown
      }
    })
  }

  const resume = (sessionId: string, request: ResumeAgentOptions = {}): AgentHandle => {
    const holder = liveAgentOf(sessionId)
    if (holder && !directory?.has(sessionId))
      throw new SubagentError(
        'INVALID_REQUEST',
        `Session ${JSON.stringify(sessionId)} is that of agent ${holder.id}, which is live, and nothing of it is kept yet. Send that one the message, or resume its run by run.resume().`,
      )
    const kept = directoryFor(sessionId)
    return make(
      request,
      () => {
        const { session, store } = kept.open(sessionId)
        const log = reopenSessionLog(session.header, session.events, clock, store)
        try {
          for (const entry of closingEntries(session.events)) log.append(entry)
          log.save()
          return { log }
        } catch (cause) {
          store.close()
          throw new SubagentError('INVALID_REQUEST', describeReason(cause), { cause })
        }
      },
      true,
    )
  }

  /** @param openSession called when all that can be checked before was found right */
  const make = (
    request: CreateAgentOptions,
    openSession: () => { readonly log: SessionLog; readonly earlier?: Made },
    isThere = false,
  ): AgentHandle => {
    const { id = createId('agent'), options: agentOptions = {}, toolFilter, inheritedFilter, extraTools, beforeTool } = request
    checkAgentRequest(request, id, agentOptions, isThere)
    if (live.has(id))
      throw new SubagentError(
        'INVALID_REQUEST',
        `An agent with the id ${JSON.stringify(id)} is alive. Pick another id, or dispose that one first.`,
      )
    const model = modelFor(options, agentOptions)
    // Of its own: whoever passed the lists may change them.
    const filter = deepFreeze(copy(intersectToolFilters(inheritedFilter, toolFilter)))
    const system = [request.system ?? options.system, request.instruction].filter(Boolean).join('\n\n')
    const { log, earlier } = openSession()
    // Its messages carry reasoning and signatures that the log does not, and that only the model which made them can use.
    const history = earlier && isSameModel(earlier.model, model) ? earlier.history : createMessageHistory()
    const created = closeOnThrow(log, () =>
      createAgent({
        id,
        options: Object.freeze({ ...agentOptions }),
        log,
        history,
        model,
        system: system === '' ? undefined : system,
        toolFilter: filter,
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
          if (toolFilter) checkToolFilter(toolFilter, [...toolbox.known, ...(earlier?.filterNames ?? [])])
          return toolbox
        },
        parentActor: request.parentActor,
        onUpdate: request.onUpdate,
        logger,
        onDisposed() {
          if (live.get(id) === handle.agent) live.delete(id)
        },
      }),
    )
    const { handle } = created
    if (earlier) {
      earlier.continuedBy = id
      live.delete(earlier.created.handle.agent.id)
      void earlier.created.handle.dispose()
    }
    live.set(id, handle.agent)
    const filterNames = [
      ...(earlier?.filterNames ?? []),
      ...(filter?.allow ?? []),
      ...(toolFilter?.allow ?? []),
      ...(toolFilter?.deny ?? []),
    ]
    const value: Made = { created, log, history, model, filterNames: [...new Set(filterNames)] }
    Object.defineProperty(handle.agent, made, { value })
    return handle
  }

  const earlierOf = (agent: Agent): Made => {
    const earlier = (agent as { readonly [made]?: Made })[made]
    const refuse = (why: string) => new SubagentError('INVALID_REQUEST', `continues: ${why}`)
    if (!earlier) throw refuse('it has to be an agent that this factory made.')
    if (earlier.continuedBy !== undefined)
      throw refuse(`the session of agent ${agent.id} is continued by agent ${earlier.continuedBy} already. Continue that one.`)
    if (!earlier.created.isAtRest())
      throw refuse(`agent ${agent.id} has work to do. Wait for its whenIdle(), or send it the message itself.`)
    return earlier
  }

  const directoryFor = (sessionId: string) => {
    if (typeof sessionId !== 'string' || sessionId === '') throw invalid('sessionId', 'a non-empty string', sessionId)
    if (directory) return directory
    const why = 'sessions are kept in memory alone. Name a directory: createAgents({ sessions: { directory } }).'
    throw new SubagentError('INVALID_REQUEST', `There is no session ${JSON.stringify(sessionId)} to be had: ${why}`)
  }

  const liveAgentOf = (sessionId: string): InProcessAgent | undefined =>
    [...live.values()].find(({ session, status }) => session.header.id === sessionId && status !== 'disposed')

  const readSession = (sessionId: string): Session => {
    const holder = liveAgentOf(sessionId)
    if (holder) return holder.session
    const { header, events } = directoryFor(sessionId).read(sessionId)
    return deepFreeze({ header, events })
  }

  return {
    create,
    resume,
    readSession,
    sessionPath: (sessionId) => directory?.find(sessionId),
    unlock: (sessionId) => directoryFor(sessionId).unlock(sessionId),
    get: (id) => live.get(id),
    list: () => [...live.values()],
    modelFor: (agentOptions) => modelFor(options, agentOptions),
  }
}

/** What cannot become an agent lets its session go. */
function closeOnThrow<T>(log: SessionLog, work: () => T): T {
  try {
    return work()
  } catch (thrown) {
    log.close()
    throw thrown
  }
}

function isSameModel(first: ModelObject, second: ModelObject): boolean {
  return first.provider === second.provider && first.modelId === second.modelId
}
