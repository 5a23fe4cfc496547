/**
 * One run of an in-process child: an agent, what it was asked, and how it is steered, ended and continued (P4–P7, P12, P13).
 *
 * Invariants: the outcome is read from what came into the log since this run began; a message that `sendMessage` took is
 * answered in this run, or it threw.
 */
import type { AgentHandle } from '../agents/agent.ts'
import type { Agents, ResumeAgentOptions } from '../agents/agents.ts'
import { SubagentError } from '../errors.ts'
import type {
  Agent,
  AgentOptions,
  ContentBlock,
  ParentAgent,
  ProviderRun,
  ProviderStartRequest,
  RunContext,
  SubagentResult,
} from '../types.ts'
import { readOutcome } from './outcome.ts'
import { structuredOutputOf } from './structured-output.ts'

export interface ChildParts {
  readonly agents: Agents
  readonly request: ProviderStartRequest
  readonly context: RunContext
}

/** The runs of one session, in their order: the next one continues the agent of the last. */
interface Chain {
  last: Agent
}

/** @param create makes the agent with these options, and with what says which session it has */
export function runChild(parts: ChildParts, create: (options: ResumeAgentOptions) => AgentHandle, chain?: Chain): ProviderRun {
  const { agents, request, context } = parts
  const structured = structuredOutputOf(request, context)
  const { persona, toolFilter, parent } = request
  const inheritedFilter = context.resolved.parent.toolFilter
  const { agent, dispose } = create({
    options: childOptions(parent, request.agentOptions),
    ...(persona !== undefined && { system: persona }),
    ...(toolFilter && { toolFilter }),
    ...(inheritedFilter && { inheritedFilter }),
    ...structured?.agentOptions,
    parentActor: context.self,
    onUpdate: (update) => context.update(update),
  })
  const runs: Chain = chain ?? { last: agent }
  runs.last = agent
  const from = agent.session.events.length
  agent.send(request.prompt)

  let isOver = false
  let isCancelled = false
  let isSteered = false
  const settle = async (): Promise<SubagentResult> => {
    do {
      isSteered = false
      await agent.whenIdle()
      // A message that was taken while the last turn ended is a turn of its own.
    } while (isSteered)
    isOver = true
    const outcome = readOutcome(agent.session, from)
    return structured ? structured.conclude(outcome) : outcome
  }

  return {
    id: agent.id,
    result: settle(),
    cancel(reason) {
      isCancelled = true
      agent.cancel(reason)
    },
    dispose,
    sendMessage(content) {
      if (isCancelled) throw refused(agent, 'is being cancelled', 'Start another child, or resume this one when it has settled.')
      if (isOver) throw refused(agent, 'has come to its end', 'Resume it.')
      if (structured?.isGiven) throw refused(agent, 'has given its result', 'Resume it when it has settled.')
      agent.steer(content)
      isSteered = true
    },
    resume: (prompt: ContentBlock[], own: RunContext) =>
      runChild(
        { agents, request: { ...request, prompt }, context: own },
        (options) => agents.create({ ...options, continues: runs.last }),
        runs,
      ),
  }
}

function refused({ id }: Agent, what: string, instead: string): SubagentError {
  return new SubagentError('INVALID_REQUEST', `Child ${id} ${what} and takes no more messages. ${instead}`)
}

/** The request's options, and the parent's model where they name none; a request cannot say how deep the child is (P1). */
function childOptions(parent: ParentAgent, { subagentDepth: _, model, ...options }: AgentOptions = {}): AgentOptions {
  const chosen = model ?? parent.options.model ?? undefined
  return { ...options, ...(chosen !== undefined && { model: chosen }) }
}
