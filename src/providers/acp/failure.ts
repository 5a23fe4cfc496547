/**
 * Failures of an ACP child, in words that a reader can act on, and that give nothing away (A7, A12, R13, R14).
 */
import { redact } from '../../agents/redact.ts'
import type { FailureCode } from '../../errors.ts'
import { limitText } from '../../run/text.ts'
import type { SubagentFailure } from '../../types.ts'

/** Why a run ends as `error`. Not an `Error` of the package: it never leaves as a rejection. */
export class AcpFailure extends Error {
  override name = 'AcpFailure'
  readonly code: FailureCode
  readonly retryable: boolean
  /** What helps to find the fault, beside the message. */
  details: readonly string[]

  constructor(
    code: FailureCode,
    message: string,
    { retryable = false, details = [] }: { retryable?: boolean; details?: readonly string[] } = {},
  ) {
    super(message)
    this.code = code
    this.retryable = retryable
    this.details = details
  }
}

/** How a process ended, in words. */
export function describeExit({ code, signal, error }: { code: number | null; signal: string | null; error?: Error }): string {
  if (error) return `could not be started: ${error.message}`
  if (signal !== null) return `was ended by ${signal}`
  return `ended with exit code ${code ?? 'unknown'}`
}

/** What an error of the agent says beside its message: many say no more than `Internal error` there, and why in the data. */
export function wordsOfData(data: unknown, message: string): string[] {
  const { details, detail, message: inner, reason } = (typeof data === 'object' && data !== null ? data : {}) as Record<string, unknown>
  const words = [data, details, detail, inner, reason].find((each) => typeof each === 'string' && each !== '') as string | undefined
  return words === undefined || message.includes(words) ? [] : [`It adds: ${limitText(words, 1024)}`]
}

/**
 * Text with no value of the environment in it, and nothing that looks like a key.
 * @param env what the child was given; short values are words that would be found anywhere
 */
export function createRedactor(env: NodeJS.ProcessEnv): (text: string) => string {
  let values: (readonly [name: string, value: string])[] | undefined
  return (text) => {
    let safe = text
    // Most runs have no text that needs it.
    values ??= Object.entries(env)
      .flatMap(([name, value]) => (value !== undefined && value.length >= 6 ? [[name, value] as const] : []))
      .toSorted(([, a], [, b]) => b.length - a.length)
    for (const [name, value] of values) if (safe.includes(value)) safe = safe.replaceAll(value, `[${name}]`)
    return redact(safe)
  }
}

export function toFailure(failure: AcpFailure, phase: SubagentFailure['phase'], safe: (text: string) => string): SubagentFailure {
  return { code: failure.code, phase, retryable: failure.retryable, message: limitText(safe(failure.message), 1024) }
}

export function toDiagnostic({ message, details }: AcpFailure, safe: (text: string) => string): string {
  return limitText([message, ...details].map(safe).join('\n'))
}
