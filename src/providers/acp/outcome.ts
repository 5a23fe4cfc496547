/** What the answer to a prompt comes to (A10). */
import type { SubagentStopReason } from '../../types.ts'
import { AcpFailure, wordsOfData } from './failure.ts'
import { loginFailure, wantsLogin } from './handshake.ts'
import { AgentError } from './peer.ts'
import type { AcpProcess } from './process.ts'
import { isObject } from './protocol.ts'

const stopReasons: { readonly [reason: string]: SubagentStopReason } = {
  end_turn: 'completed',
  max_tokens: 'max-tokens',
  refusal: 'refusal',
  cancelled: 'aborted',
}

/** @throws AcpFailure where the answer is none, or says that the turn did not do its work */
export function stopReasonOf(response: unknown, command: string): SubagentStopReason {
  if (!isObject(response) || typeof response.stopReason !== 'string') {
    const seen = isObject(response) ? 'an object without a stop reason' : JSON.stringify(response)
    throw new AcpFailure('PROTOCOL', `The agent ${command} answered session/prompt with ${seen}.`)
  }
  const { stopReason } = response
  if (stopReason === 'max_turn_requests')
    throw new AcpFailure('MAX_STEPS', `The agent ${command} used up the model calls of its turn before it had finished.`)
  if (Object.hasOwn(stopReasons, stopReason)) return stopReasons[stopReason]!
  throw new AcpFailure(
    'PROTOCOL',
    `The agent ${command} ended its turn with the stop reason ${JSON.stringify(stopReason)}, which is not known.`,
  )
}

/** What went wrong with a prompt, as a failure. */
export function promptFailure({ command, facts }: AcpProcess, error: unknown): AcpFailure {
  if (error instanceof AcpFailure) return error
  if (wantsLogin(error)) return loginFailure(command, facts?.authMethods ?? [], error.message)
  if (error instanceof AgentError) {
    // Malformed calls are the protocol's own; the rest is the agent's work that failed, mostly at its model.
    const isProtocol = error.code <= -32_600 && error.code >= -32_602
    return new AcpFailure(
      isProtocol ? 'PROTOCOL' : 'MODEL_ERROR',
      `The agent ${command} answered the prompt with error ${error.code}: ${error.message}`,
      { retryable: !isProtocol, details: wordsOfData(error.data, error.message) },
    )
  }
  throw error
}
