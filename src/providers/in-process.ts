/**
 * The driver of children in this process: spawn and fork are this with and without a seed (P1–P7, P13).
 *
 * Owns: what a child agent is made of, and what its log comes to. Does not own: the turn loop (src/agents), the outcome of
 * a cancelled run and the bound on a release (the run).
 *
 * Invariants: the prompt is queued before this returns (P4); the child's depth is the parent's plus one, whatever the
 * request says (P1); the agent's actor is a child of the run's, so that an agent goes with its run on every path, a start
 * that throws included.
 */
import type { Agents } from '../agents/agents.ts'
import { toolFilterOf } from '../agents/tool-filter.ts'
import type { AgentOptions, ParentAgent, ProviderRun, ProviderStartRequest, RunContext, SessionEvent } from '../types.ts'
import { readOutcome } from './outcome.ts'

export interface InProcessRunOptions {
  /** Makes the child; its model is the last resort (P3). */
  readonly agents: Agents
  readonly request: ProviderStartRequest
  readonly context: RunContext
  /** Events that the child inherits, `seq` from 0 without gaps. None of them is read as its answer. @default none */
  readonly seed?: readonly SessionEvent[]
}

/**
 * Starts a child agent on the request's prompt. The run's `id` is the agent's id; its `dispose` ends the agent, waits until
 * nothing of it runs, and is memoised.
 *
 * @throws SubagentError NO_MODEL where neither request, parent nor factory names a usable model; INVALID_REQUEST where the
 * factory cannot make the agent
 */
export function startInProcessRun({ agents, request, context, seed }: InProcessRunOptions): ProviderRun {
  const { parent, prompt, agentOptions } = request
  const { cwd, id: parentSession } = parent.session.header
  const inheritedFilter = toolFilterOf(parent)
  const { agent, dispose } = agents.create({
    options: childOptions(parent, agentOptions),
    ...(cwd !== undefined && { cwd }),
    parentSession,
    delegationDepth: context.resolved.depth,
    ...(seed && { seed }),
    ...(inheritedFilter && { inheritedFilter }),
    parentActor: context.self,
    onUpdate: (update) => context.update(update),
  })
  agent.send(prompt)
  return {
    id: agent.id,
    result: agent.whenIdle().then(() => readOutcome(agent.session)),
    cancel: (reason) => agent.cancel(reason),
    dispose,
  }
}

/** The request's options, and the parent's model where they name none; a request cannot say how deep the child is (P1). */
function childOptions(parent: ParentAgent, { subagentDepth: _, model, ...options }: AgentOptions = {}): AgentOptions {
  const chosen = model ?? parent.options.model ?? undefined
  return { ...options, ...(chosen !== undefined && { model: chosen }) }
}
