/**
 * Errors: one branded class, one closed list of codes. Contract: S20, V7.
 */

/** Codes of errors that are thrown or that reject, with who gets them and what to do. */
export const errorCodes = {
  NO_PROVIDER: 'Thrown by `start`: no provider has that name. Register it, or use one of the names that the message lists.',
  DUPLICATE_PROVIDER: 'Thrown by `registerProvider`: the name is taken. Call the disposer of the first, or pick another name.',
  INVALID_PROVIDER:
    'Thrown by `registerProvider` or `start`: the provider, or the run it gave, lacks what the message names. Mend the provider.',
  UNSUPPORTED_CAPABILITY:
    'Thrown by `start`: the request asks for what the provider cannot honour. Leave the field out, or use another provider.',
  INVALID_REQUEST: 'Thrown by `start` and by factories: a field has the wrong shape. The message names field, value and what was expected.',
  DUPLICATE_RUN: 'Thrown by `start`: a live run has that id. Leave `id` out, or wait until the other run is disposed.',
  DEPTH_EXCEEDED: 'Thrown by `start`: the child would be deeper than `maxDepth`. Do the work in this agent, or raise the limit.',
  CONCURRENCY_LIMIT: "Thrown by `start` under `queue: 'reject'`: all slots are taken. Retry when a run has settled.",
  REGISTRY_CLOSED: 'Thrown by `start` and `registerProvider`: the service is closing or closed. Make a new one.',
  NO_MODEL: 'Thrown by `start`: neither request, parent nor factory names a usable model. Name one in any of them.',
  INVALID_RESULT: "Rejects `result`: the provider's promise gave something that is not a result. Mend the provider.",
  RELEASE_TIMEOUT:
    'Rejects `dispose()`: the release did not end within `releaseGraceMs`; the run is marked leaked. Look at what the child still holds.',
  UNAUTHORIZED: 'Given to a model: the run that it names belongs to another parent. Name one of its own.',
  LOST: 'Failure of a run whose process ended before it settled. Start it again.',
} as const

/** Further codes that `result.failure.code` can have (R13). */
export const failureCodes = {
  MAX_STEPS: 'Failure of a run whose child used up its steps. Raise `agentOptions.maxSteps`, or give it a smaller task.',
  MODEL_ERROR:
    'Failure of a run whose model could not be reached or refused the call. Read provider and status in the diagnostic; start again where the failure is retryable.',
  NO_STRUCTURED_OUTPUT:
    'Failure of a run whose child ended without the structured result that was asked for. Read its text in `output`, or ask with a simpler schema.',
  SPAWN_FAILED: 'Failure of a run whose child process could not be started. Check the command, its path and the working directory.',
  HANDSHAKE_FAILED:
    'Failure of a run whose child process did not finish its handshake. Check that the command speaks the protocol, and which version of it.',
  AUTH_REQUIRED: 'Failure of a run whose child wants a login. Log in with its own command, then start again.',
  PROTOCOL: 'Failure of a run whose child broke the protocol. Read what was wrong in the diagnostic, and use a child that keeps to it.',
  CRASHED: 'Failure of a run whose child process ended before its answer. Read the diagnostic, then start again.',
  IDLE_TIMEOUT: 'Failure of a run whose child was silent for too long. Raise the limit, or give it a smaller task.',
  DEAF: 'Failure of a run whose child did not settle within `cancelGraceMs` of a cancel and was given up. Raise the grace, or mend the cancel of the provider.',
} as const

/** The code of a `SubagentError`; `errorCodes` says of each who gets it, when, and what to do (S20, V7). */
export type SubagentErrorCode = keyof typeof errorCodes
/** A code of `result.failure` that this package gives besides those of errors; a provider may give codes of its own (V7). */
export type FailureCode = SubagentErrorCode | keyof typeof failureCodes

const brand = Symbol.for('xstate-subagents.error')

/**
 * Every error that this package makes. Errors of provider code pass untouched.
 *
 * @example
 * ```ts
 * try { service.start('spawn', request) } catch (error) {
 *   if (SubagentError.is(error, 'NO_PROVIDER')) console.error(error.message)
 * }
 * ```
 */
export class SubagentError extends Error {
  override name = 'SubagentError'
  /** What to tell errors by; each code has a docstring in {@link errorCodes}. */
  readonly code: SubagentErrorCode

  constructor(code: SubagentErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
    Object.defineProperty(this, brand, { value: true })
  }

  /** True for an error of this package, also when two copies of the package are loaded. */
  static is(value: unknown, code?: SubagentErrorCode): value is SubagentError {
    if (typeof value !== 'object' || value === null || !(brand in value)) return false
    return code === undefined || (value as unknown as SubagentError).code === code
  }
}

/** The child would be deeper than the request allows (P2). */
export class SubagentDepthError extends SubagentError {
  override name = 'SubagentDepthError'
  /** The depth that the child would have had: its parent's plus one. */
  readonly attemptedDepth: number
  /** What the request allows. */
  readonly maxDepth: number

  constructor(attemptedDepth: number, maxDepth: number) {
    super(
      'DEPTH_EXCEEDED',
      `The child would be at delegation depth ${attemptedDepth}, and maxDepth is ${maxDepth}. Do the work in this agent, or raise maxDepth.`,
    )
    this.attemptedDepth = attemptedDepth
    this.maxDepth = maxDepth
  }
}
