/**
 * The driver of children in this process: spawn and fork are this with and without a seed (P1–P15).
 *
 * Owns: what a child agent is made of. Does not own: the run of one (child-run.ts), what its log comes to (outcome.ts), its
 * structured result (structured-output.ts), the turn loop (src/agents), the bound on a release (the run).
 *
 * Invariants: the prompt is queued before this returns (P4); the child's depth is the parent's plus one, whatever the
 * request says (P1); the agent's actor is a child of the run's, so that an agent goes with its run on every path, a start
 * that throws included.
 */
import type { Agents } from '../agents/agents.ts'
import { SubagentDepthError } from '../errors.ts'
import type { ProviderRun, ProviderResumeRequest, ProviderStartRequest, RunContext, SessionEvent } from '../types.ts'
import { runChild } from './child-run.ts'

/** What a provider of one's own hands on to have an agent of `createAgents()` as its child. */
export interface InProcessRunOptions {
  /** Makes the child; its model is the last resort (P3). */
  readonly agents: Agents
  /** As `start` was given it. */
  readonly request: ProviderStartRequest
  /** As `start` was given it. */
  readonly context: RunContext
  /** Events that the child inherits, `seq` from 0 without gaps. None of them is read as its answer. @default none */
  readonly seed?: readonly SessionEvent[]
}

/** What a child in this process honours: all of it (P9–P11). */
export const inProcessCapabilities = { outputSchema: true, depthLimit: true, toolFilter: true, persona: true } as const

/**
 * Starts a child agent on the request's prompt. The run's `id` is the agent's id; its `dispose` ends the agent, waits until
 * nothing of it runs, and is memoised. `sendMessage` steers the child, `resume` continues its session by another agent (P12).
 *
 * The system prompt is `persona`, else the factory's; where there is an `outputSchema`, what the child has to do for it stands
 * behind. Tools are the factory's, less what the parent may not use, less what `toolFilter` hides.
 *
 * @throws SubagentError NO_MODEL where neither request, parent nor factory names a usable model; INVALID_REQUEST where the
 * factory cannot make the agent, `toolFilter` names a tool that does not exist, or `outputSchema` cannot be checked against
 */
export function startInProcessRun({ agents, request, context, seed }: InProcessRunOptions): ProviderRun {
  const { cwd, id: parentSession } = request.parent.session.header
  return runChild({ agents, request, context }, (options) =>
    agents.create({
      ...options,
      ...(cwd !== undefined && { cwd }),
      parentSession,
      delegationDepth: context.resolved.depth,
      ...(seed && { seed }),
    }),
  )
}

export interface ResumeInProcessRunOptions {
  /** Keeps the session: it was made with a directory for sessions. */
  readonly agents: Agents
  readonly request: ProviderResumeRequest
  readonly context: RunContext
}

/**
 * Goes on with a kept session, as {@link startInProcessRun} begins one (P12). The child is as deep as its session says, or as
 * its parent's depth makes it, whichever is deeper (P1).
 *
 * @throws SubagentDepthError where that is deeper than `maxDepth`
 * @throws SubagentError as `agents.resume` does, and as {@link startInProcessRun}
 */
export function resumeInProcessRun({ agents, request, context }: ResumeInProcessRunOptions): ProviderRun {
  const { sessionId, maxDepth } = request
  const subagentDepth = Math.max(agents.readSession(sessionId).header.delegationDepth ?? 0, context.resolved.depth)
  if (maxDepth !== undefined && subagentDepth > maxDepth) throw new SubagentDepthError(subagentDepth, maxDepth)
  return runChild({ agents, request, context }, (options) =>
    agents.resume(sessionId, { ...options, options: { ...options.options, subagentDepth } }),
  )
}
