/**
 * Whether a value is an entry of a journal: a file may be of another program, or of a hand that edited it.
 */
import { journalVersion } from './entries.ts'
import type { JournalEntryType } from './entries.ts'

type Check = (value: unknown) => boolean
type Fields = Readonly<Record<string, readonly [Check, expected: string]>>

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
const isText: Check = (value) => typeof value === 'string'
const text = [isText, 'a string'] as const
const flag = [(value: unknown) => typeof value === 'boolean', 'true or false'] as const
const number = [(value: unknown) => typeof value === 'number' && Number.isFinite(value), 'a number'] as const
const count = [(value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0, 'a whole number from 0'] as const
const object = [isObject, 'an object'] as const
const optional = ([check, expected]: readonly [Check, string]) =>
  [(value: unknown) => value === undefined || check(value), `${expected}, or absent`] as const
const isState: Check = (value) => isText(value) || (isObject(value) && Object.values(value).every(isState))
const state = optional([isState, 'a state'])
const status = [
  (value: unknown) => ['active', 'done', 'error', 'stopped'].includes(value as string),
  'active, done, error or stopped',
] as const
const failure = optional([(value) => isObject(value) && isText(value['code']), 'an object with a code'])
const update = [
  (value: unknown) => isObject(value) && isText(value['type']) && number[0](value['seq']) && number[0](value['at']),
  'an object with type, seq and at',
] as const

const fieldsOf: Readonly<Record<JournalEntryType, Fields>> = {
  journal: { version: [(value) => value === journalVersion, String(journalVersion)], content: flag },
  chart: { chart: text, config: object },
  actor: {
    actor: text,
    kind: text,
    name: text,
    status,
    value: state,
    parent: optional(text),
    chart: optional(text),
    run: optional(text),
    provider: optional(text),
    label: optional(text),
    parentRun: optional(text),
    since: optional(number),
  },
  event: { actor: text, event: text, source: optional(text), code: optional(text) },
  snapshot: { actor: text, event: text, status, value: state },
  provider: { provider: text, added: flag, capabilities: optional(object) },
  start: { actor: text, runId: text, agent: text, provider: text, label: optional(text) },
  update: { actor: text, update },
  end: { actor: text, stopReason: text, durationMs: number, failure, usage: optional(object) },
  dropped: { count },
}

/** @returns what is wrong with it, for a sentence; undefined for an entry, also for one of a type that is not known yet */
export function entryProblem(value: unknown): string | undefined {
  if (!isObject(value)) return 'is no object'
  const { type } = value
  if (!isText(type)) return 'has no type'
  const fields: Fields = { seq: count, at: number, ...(Object.hasOwn(fieldsOf, type as string) ? fieldsOf[type as JournalEntryType] : {}) }
  for (const [field, [check, expected]] of Object.entries(fields))
    if (!check(value[field])) return `is of type ${JSON.stringify(type)} and has no usable ${field}: it must be ${expected}`
  return undefined
}
