/** Fork: a child agent in this process that begins with its parent's completed turns (P8). */
import type { Agents } from '../agents/agents.ts'
import { checkEvent } from '../agents/sessions/check-event.ts'
import { SubagentError } from '../errors.ts'
import { describeThrown } from '../run/contain.ts'
import { invalid } from '../run/request.ts'
import type { Session, SessionEvent, SubagentProvider } from '../types.ts'
import { inProcessCapabilities, resumeInProcessRun, startInProcessRun } from './in-process.ts'

/** Who makes the children, and the provider's name. */
export interface ForkProviderOptions {
  /** Makes the children, of `createAgents()`. Its tools and its system prompt are theirs. */
  readonly agents: Agents
  /** @default 'fork' */
  readonly name?: string
}

/**
 * A provider whose children know what was said: they are as those of `spawnProvider`, and their session begins with the
 * parent's log up to its last completed turn. The turn that is open, as the one that delegates is, is not part of it. A parent
 * without a completed turn gets a fresh child.
 *
 * Inherited is the conversation: messages, tool calls and their results, what the parent itself had inherited too. Not
 * inherited are the system prompt (it is `persona`, else that of the factory), reasoning, and tools: a call that the parent
 * made stays readable, also of a tool that the child does not have.
 *
 * Capabilities: all. What `start` throws: NO_MODEL, INVALID_REQUEST (a parent whose log is none included).
 *
 * @throws SubagentError INVALID_REQUEST
 *
 * @example
 * ```ts
 * const service = createSubagentService({ providers: [forkProvider({ agents })] })
 * const parent = parentFromMessages({ messages })
 * const { output } = await service.delegate('fork', { parent, prompt: 'Which of these did we decide on?' })
 * ```
 */
export function forkProvider({ agents, name = 'fork' }: ForkProviderOptions): SubagentProvider {
  if (typeof agents?.create !== 'function') throw invalid('agents', 'what createAgents() gives', agents)
  if (typeof name !== 'string' || name === '') throw invalid('name', 'a non-empty string', name)
  return {
    name,
    capabilities: inProcessCapabilities,
    inheritsParentContext: true,
    start: (request, context) => startInProcessRun({ agents, request, context, seed: completedTurns(request.parent.session) }),
    resume: (request, context) => resumeInProcessRun({ agents, request, context }),
  }
}

/** The log up to and including its last `turn/end`. @throws SubagentError INVALID_REQUEST where it is no log */
function completedTurns({ events }: Session): readonly SessionEvent[] {
  if (!Array.isArray(events)) throw invalid('parent.session.events', 'an array of session events', events)
  const last = events.findLastIndex((event: SessionEvent | null) => event?.type === 'turn/end')
  return (events as readonly unknown[]).slice(0, last + 1).map((event, index) => {
    try {
      return checkEvent(event, index)
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : describeThrown(cause)
      throw new SubagentError('INVALID_REQUEST', `parent.session.events[${index}] is not a session event: ${reason}.`, { cause })
    }
  })
}
