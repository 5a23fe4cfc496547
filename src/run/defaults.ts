/**
 * What the engine uses where nothing was injected: the system's clock, random ids, a logger on stderr.
 */
import type { Clock, Logger } from '../types.ts'

export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  clearTimeout: (id) => clearTimeout(id as ReturnType<typeof setTimeout>),
}

/** Unique across processes by its head, within one by its tail; a UUID each would be a tenth of what a live run holds. */
const head = `run-${globalThis.crypto.randomUUID().replaceAll('-', '').slice(0, 12)}-`
let made = 0
export const uniqueId = (): string => head + (made++).toString(36)

export const stderrLogger: Logger = {
  debug: () => {},
  warn: (message, details) => (details === undefined ? console.warn(message) : console.warn(message, details)),
  error: (message, details) => (details === undefined ? console.error(message) : console.error(message, details)),
}

export const defaultCancelGraceMs = 5_000
export const defaultReleaseGraceMs = 10_000
