/**
 * What may be told of a text or a value: nothing that is known for a secret, and nothing without a bound (I2).
 */
import { redact } from '../agents/redact.ts'
import { secretFilter, secretNames, secretValues } from '../run/secrets.ts'
import type { Json } from '../types.ts'

const longestName = 200
const longestText = 20_000
const deepest = 8
/** Values of one entry; what has more is cut. */
const mostValues = 500
const rememberedNames = 2_000
const mark = '[redacted]'
/** Names of fields whose values are secrets, in addition to those of variables. */
const secretFields = /^(?:authorization|proxy-authorization|cookie|set-cookie|x-api-key|api-?key|.*(?:token|secret|password|passphrase))$/i

export interface Cleaner {
  /** A name or an id, which has to stay what it is: only the secrets of the environment go. */
  name(text: string): string
  /** What a person or a model wrote: also what looks like a key goes. */
  text(text: string, most?: number): string
  /**
   * A piece of a text that comes in pieces: its end waits for the next piece where it may be the beginning of a secret.
   * @param stream which text it is of
   */
  piece(stream: string, text: string): string
  /** The texts of this owner are over; an end that still waits is not told. */
  forget(owner: string): void
  /** A copy that is JSON and has an end, for whatever value. */
  json(value: unknown): Json
}

/** The environment of this process; an empty one where there is none. */
export const processEnv = (): Readonly<Record<string, string | undefined>> => (typeof process === 'undefined' ? {} : process.env)

/** @param env variables whose values are kept out, where their names say that they are secrets */
export function createCleaner(env: Readonly<Record<string, string | undefined>>): Cleaner {
  const withoutSecrets = secretFilter(env, { names: secretNames })
  const names = new Map<string, string>()
  const name = (text: string): string => {
    const known = names.get(text)
    if (known !== undefined) return known
    const clean = shorten(withoutSecrets(text), longestName)
    if (names.size >= rememberedNames) names.clear()
    names.set(text, clean)
    return clean
  }
  // Cut before and after: the cost of the patterns is bounded by the length, and a mark may be longer than what it stands for.
  const text = (whole: string, most = longestText) => shorten(redact(withoutSecrets(whole.slice(0, 2 * most))), most)
  const tails = new Map<string, string>()
  const secrets = secretValues(env, secretNames)
  const piece = (stream: string, part: string): string => {
    const whole = (tails.get(stream) ?? '') + part
    const held = heldLength(withoutSecrets(whole), secrets)
    if (held > 0) tails.set(stream, whole.slice(-held))
    else tails.delete(stream)
    return text(held > 0 ? whole.slice(0, -held) : whole)
  }
  const forget = (owner: string): void => {
    for (const stream of tails.keys()) if (stream.startsWith(`${owner} `)) tails.delete(stream)
  }
  return { name, text, piece, forget, json: (value) => jsonOf(value, text) }
}

/** Length of the longest end of `text` that is the beginning of a secret and not a whole one. */
function heldLength(text: string, secrets: readonly string[]): number {
  return secrets.reduce((most, secret) => {
    for (let length = Math.min(secret.length - 1, text.length); length > most; length--)
      if (text.endsWith(secret.slice(0, length))) return length
    return most
  }, 0)
}

function jsonOf(value: unknown, clean: (text: string) => string): Json {
  let left = mostValues
  const copy = (part: unknown, depth: number): Json => {
    if (typeof part === 'string') return clean(part)
    if (typeof part === 'boolean' || part === null || (typeof part === 'number' && Number.isFinite(part))) return part
    if (typeof part !== 'object') return `[${typeof part}]`
    if (depth > deepest || left-- <= 0) return '[…]'
    if (Array.isArray(part)) return part.slice(0, Math.max(0, left)).map((item) => copy(item, depth + 1))
    const prototype: unknown = Object.getPrototypeOf(part)
    // Live objects: actors, agents, models, signals.
    if (prototype !== Object.prototype && prototype !== null) return '[object]'
    const fields = Object.entries(part).slice(0, Math.max(0, left))
    return Object.fromEntries(
      fields.map(([field, inner]) => [clean(field), secretFields.test(field) || secretNames.test(field) ? mark : copy(inner, depth + 1)]),
    )
  }
  try {
    return copy(value, 0)
  } catch {
    return '[unreadable]'
  }
}

function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
