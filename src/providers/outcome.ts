/**
 * What the log of an in-process child comes to: its own turns, read once the child rests (P5, P6).
 *
 * Invariant: nothing before `from` is read, so that no inherited message, and none of an earlier run, passes for an answer.
 */
import { addUsage } from '../agents/usage.ts'
import { copy } from '../run/copy.ts'
import type {
  ContentBlock,
  Session,
  SessionEvent,
  SubagentFailure,
  SubagentResult,
  SubagentStopReason,
  TurnEndReason,
  Usage,
} from '../types.ts'

/** @param from number of events that were there when the run began @default what the session was seeded with */
export function readOutcome(session: Session, from: number = session.header.seedLength ?? 0): SubagentResult {
  const own = session.events.slice(from)
  const reason = lastReason(own)
  const failure = failureOf(reason)
  const usage = usageOf(own)
  return {
    output: lastAnswer(own),
    stopReason: stopReasonOf(reason),
    ...(failure && { failure, diagnostic: failure.message }),
    ...(usage && { usage }),
    sessionId: session.header.id,
  }
}

/** A copy, since the log is frozen; `[]` where the child said nothing. */
function lastAnswer(events: readonly SessionEvent[]): ContentBlock[] {
  const last = events.findLast((event) => event.type === 'assistant/message' && event.content.length > 0)
  return last?.type === 'assistant/message' ? copy(last.content as ContentBlock[]) : []
}

/** The reason of the last turn that was there for a message; one that only took in context says nothing of the work (P7). */
function lastReason(events: readonly SessionEvent[]): TurnEndReason | undefined {
  let last: TurnEndReason | undefined
  let kinds = new Set<SessionEvent['type']>()
  for (const event of events) {
    if (event.type === 'turn/start') kinds = new Set()
    else if (event.type !== 'turn/end') kinds.add(event.type)
    else if (!kinds.has('context/message') || kinds.has('user/message')) last = event.reason
  }
  return last
}

export function stopReasonOf(reason: TurnEndReason | undefined): SubagentStopReason {
  switch (reason?.kind) {
    case 'completed':
    case 'aborted':
    case 'max-tokens':
    case 'refusal':
      return reason.kind
    case 'rejected':
      return 'refusal'
    case 'disposed':
      return 'aborted'
    default:
      return 'error'
  }
}

export function failureOf(reason: TurnEndReason | undefined): SubagentFailure | undefined {
  switch (reason?.kind) {
    case 'max-steps':
      return {
        code: 'MAX_STEPS',
        phase: 'running',
        retryable: false,
        message: 'The child used up its steps before it had finished. Raise agentOptions.maxSteps, or give it a smaller task.',
      }
    case 'error': {
      // The log names a provider where a model call failed, and none where the turn itself broke.
      const code = reason.provider === undefined ? 'CRASHED' : 'MODEL_ERROR'
      return { code, phase: 'running', retryable: reason.retryable ?? false, message: reason.message }
    }
    case undefined:
      return { code: 'CRASHED', phase: 'running', retryable: false, message: 'The child came to rest without having ended a turn.' }
    default:
      return undefined
  }
}

function usageOf(events: readonly SessionEvent[]): Usage | undefined {
  let sum: Usage | undefined
  for (const event of events) if (event.type === 'assistant/message' && event.usage) sum = addUsage(sum, event.usage)
  return sum
}
