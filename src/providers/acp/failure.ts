/**
 * Failures of an ACP child, in words that a reader can act on, and that give nothing away (A7, A12, R13, R14).
 */
import { cleanStart } from '../../agents/environment-secrets.ts'
import type { Redactor } from '../../agents/environment-secrets.ts'
import type { FailureCode } from '../../errors.ts'
import { startProblem } from '../../processes/spawn-error.ts'
import { diagnosticLimitBytes, limitText } from '../../run/text.ts'
import type { SubagentFailure } from '../../types.ts'

/** A part of a diagnostic; where it is an excerpt, made from what was made safe. */
export type Detail = string | ((safe: Redactor) => string)

const shownOfMessage = 1024
const shownOfData = 1024

/** Why a run ends as `error`. Not an `Error` of the package: it never leaves as a rejection. */
export class AcpFailure extends Error {
  override name = 'AcpFailure'
  readonly code: FailureCode
  readonly retryable: boolean
  /** What helps to find the fault, beside the message. */
  details: readonly Detail[]

  constructor(
    code: FailureCode,
    message: string,
    { retryable = false, details = [] }: { retryable?: boolean; details?: readonly Detail[] } = {},
  ) {
    super(message)
    this.code = code
    this.retryable = retryable
    this.details = details
  }
}

/** How a process ended, in words. */
export function describeExit({ code, signal, error }: { code: number | null; signal: string | null; error?: Error }): string {
  if (error) return `could not be started: ${startProblem(error)}`
  if (signal !== null) return `was ended by ${signal}`
  return `ended with exit code ${code ?? 'unknown'}`
}

/** What an error of the agent says beside its message: many say no more than `Internal error` there, and why in the data. */
export function wordsOfData(data: unknown, message: string): Detail[] {
  const { details, detail, message: inner, reason } = (typeof data === 'object' && data !== null ? data : {}) as Record<string, unknown>
  const words = [data, details, detail, inner, reason].find((each) => typeof each === 'string' && each !== '') as string | undefined
  return words === undefined || message.includes(words)
    ? []
    : [(safe) => `It adds: ${limitText(cleanStart(words, shownOfData, safe), shownOfData)}`]
}

export function toFailure(failure: AcpFailure, phase: SubagentFailure['phase'], safe: Redactor): SubagentFailure {
  const message = limitText(cleanStart(failure.message, shownOfMessage, safe), shownOfMessage)
  return { code: failure.code, phase, retryable: failure.retryable, message }
}

export function toDiagnostic({ message, details }: AcpFailure, safe: Redactor): string {
  const parts = [message, ...details].map((part) => (typeof part === 'string' ? cleanStart(part, diagnosticLimitBytes, safe) : part(safe)))
  return limitText(parts.join('\n'))
}
