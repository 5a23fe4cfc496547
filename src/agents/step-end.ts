/**
 * What the finish reason of a step ends a turn as:
 *
 *     stop            completed, or the next step where tools were called
 *     tool-calls      the next step; without any call: error
 *     length          max-tokens
 *     content-filter  refusal
 *     error           error
 *     other, none     error: the answer was cut off for a reason nobody knows, which is no success
 */
import type { TurnEndReason } from '../types.ts'
import { shortMessage } from './redact.ts'
import type { StepOutcome } from './steps.ts'

/** @param provider names the model in messages */
export function endOf({ end, finishReason, rawFinishReason, content, calls }: StepOutcome, provider: string): TurnEndReason | 'next-step' {
  if (end === 'aborted') return { kind: 'aborted' }
  if (end !== 'finished') return end
  const error = (message: string): TurnEndReason => ({ kind: 'error', message, provider, retryable: true })
  switch (finishReason) {
    case 'stop':
    case 'tool-calls':
      if (calls.some((call) => !call.byProvider)) return 'next-step'
      if (finishReason === 'tool-calls' && calls.length === 0) return error(`${provider} said that it calls tools and called none.`)
      return { kind: 'completed' }
    case 'length':
      return { kind: 'max-tokens' }
    case 'content-filter':
      return { kind: 'refusal' }
    case 'error':
      return error(`${provider} ended its answer with an error.`)
    default:
      if (rawFinishReason !== undefined)
        return error(`${provider} ended its answer for a reason that is not known: ${shortMessage(rawFinishReason, 60)}.`)
      if (content.length === 0 && calls.length === 0) return error(`${provider} gave an empty answer: its stream ended without any output.`)
      return error(`${provider} broke off its answer: the stream ended without a finish reason.`)
  }
}
