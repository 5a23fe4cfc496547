/**
 * The boundary to code that is not ours: whatever it throws, returns or rejects with, the run goes on (S17).
 */
import type { Logger } from '../types.ts'

/** A thrown value as text; also for one whose own `toString` or `message` throws. */
export function describeThrown(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return `${thrown.name}: ${thrown.message}`
    return String(thrown)
  } catch {
    return 'a value that cannot be described'
  }
}

/** A reason to stop as text, whatever a caller gave for one: of an error its message. */
export function describeReason(reason: unknown): string {
  if (typeof reason === 'string') return reason
  try {
    if (reason instanceof Error) return String(reason.message)
  } catch {
    // Its message cannot be read.
  }
  return describeThrown(reason)
}

/** Logs a warning; a logger that throws or rejects changes nothing. */
export function warn(logger: Logger, message: string, details?: unknown): void {
  log(logger, 'warn', message, details)
}

/** As {@link warn}, for what is of use only to somebody who looks for a fault. */
export function debug(logger: Logger, message: string, details?: unknown): void {
  log(logger, 'debug', message, details)
}

function log(logger: Logger, level: 'warn' | 'debug', message: string, details: unknown): void {
  try {
    const returned: unknown = logger[level](message, details)
    if (isThenable(returned)) Promise.resolve(returned).catch(() => {})
  } catch {
    // A broken logger has nowhere to complain.
  }
}

/** Calls `callback`; a throw, and the rejection of a promise it returns, are logged under `what`. */
export function contain(logger: Logger, what: string, callback: () => unknown): void {
  try {
    const returned = callback()
    if (isThenable(returned))
      Promise.resolve(returned).catch((thrown: unknown) => warn(logger, `${what} rejected: ${describeThrown(thrown)}`))
  } catch (thrown) {
    warn(logger, `${what} threw: ${describeThrown(thrown)}`)
  }
}

/** True for anything with a callable `then`; false where looking at it throws. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  try {
    return typeof (value as PromiseLike<unknown>).then === 'function'
  } catch {
    return false
  }
}

/** True for anything to be read by `for await`; false where looking at it throws. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  try {
    return typeof (value as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === 'function'
  } catch {
    return false
  }
}
