/**
 * A failed model call as the end of a turn (G12): provider, status and a short message; no key, no request, no body.
 */
import type { TurnEndReason } from '../types.ts'
import { isAiError } from './ai-errors.ts'
import { shortMessage } from './redact.ts'

export type TurnError = Extract<TurnEndReason, { kind: 'error' }>

export interface ModelErrorContext {
  readonly provider: string
  /** Whether the provider had begun to answer. */
  readonly answering: boolean
}

/** Any thrown or streamed model error, as data. */
export function describeModelError(error: unknown, { provider, answering }: ModelErrorContext): TurnError {
  if (isAiError(error, 'AI_RetryError')) {
    const inner = describeModelError(error.lastError, { provider, answering })
    return { ...inner, message: `${inner.message} Tried ${error.errors.length} ${error.errors.length === 1 ? 'time' : 'times'}.` }
  }
  const end = (message: string, retryable: boolean, status?: number): TurnError => ({
    kind: 'error',
    message,
    provider,
    retryable,
    ...(status !== undefined && { status }),
  })
  if (isAiError(error, 'AI_APICallError') && error.statusCode !== undefined && error.statusCode >= 400) {
    const status = error.statusCode
    // What a server says about refused credentials tends to quote them.
    if (status === 401 || status === 403) return end(`${provider} refused the credentials (HTTP ${status}).`, false, status)
    const verb = status >= 500 ? 'failed' : status === 429 ? 'is limiting the rate' : 'refused the call'
    return end(`${provider} ${verb} (HTTP ${status}): ${said(error.message)}`, error.isRetryable, status)
  }
  const code = networkCode(error)
  if (code !== undefined) {
    if (answering) return end(`The connection to ${provider} was dropped in the middle of the answer (${code}).`, true)
    if (code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
      return end(`${provider} cannot be reached (${code}).`, true)
    return end(`The connection to ${provider} was dropped before an answer (${code}).`, true)
  }
  if (isMalformed(error)) return end(`${provider} sent an answer that cannot be read (malformed stream).`, false)
  if (isAiError(error, 'AI_InvalidResponseDataError')) return end(`${provider} broke off its answer: ${said(messageOf(error))}`, true)
  if (isAiError(error, 'AI_NoOutputGeneratedError'))
    return end(`${provider} gave an empty answer: its stream ended without any output.`, true)
  if (isAiError(error, 'AI_APICallError')) {
    if (isMalformed(error.cause)) return end(`${provider} sent an answer that cannot be read (malformed).`, false)
    return end(`${provider} could not be called: ${said(error.message)}`, error.isRetryable)
  }
  return end(`${provider} failed: ${said(messageOf(error))}`, false)
}

function said(message: string): string {
  const short = shortMessage(message)
  if (short === '') return 'no message.'
  return /[.!?…]$/.test(short) ? short : `${short}.`
}

/** The messages of these quote the body. */
function isMalformed(error: unknown): boolean {
  return isAiError(error, 'AI_JSONParseError') || isAiError(error, 'AI_TypeValidationError')
}

/** The code of a socket error anywhere among the causes. */
function networkCode(error: unknown): string | undefined {
  for (let current = error, depth = 0; typeof current === 'object' && current !== null && depth < 8; depth++) {
    const { code, cause, errors } = current as { code?: unknown; cause?: unknown; errors?: unknown }
    if (typeof code === 'string' && /^(?:E[A-Z]{3,}|EAI_[A-Z]+|UND_ERR_[A-Z_]+)$/.test(code)) return code
    current = cause ?? (Array.isArray(errors) ? errors[0] : undefined)
  }
  return undefined
}

function messageOf(error: unknown): string {
  try {
    if (typeof error === 'string') return error
    const { message } = error as { message?: unknown }
    return typeof message === 'string' ? message : 'no message'
  } catch {
    return 'no message'
  }
}
