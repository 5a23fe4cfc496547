/**
 * Any value as JSON: for the session log (G7), for what a model is told (T7). What is not JSON is converted visibly and never
 * throws: a tool or a child may give back anything, and a conversation has to stand it.
 */
import type { Json } from '../types.ts'
import { describeReason } from './contain.ts'

/** Deeper than this a value is cut, so that no stack overflows. */
const maxDepth = 100

/** A fresh JSON copy of `value`; `undefined` as a whole is `null`. */
export function toJson(value: unknown): Json {
  return convert(value, '', 0, []) ?? null
}

function convert(value: unknown, key: string, depth: number, above: object[]): Json | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      // JSON.stringify would turn these to null, and -0 to 0.
      return Number.isFinite(value) ? value + 0 : String(value)
    case 'bigint':
      return `${value}n`
    case 'undefined':
      return undefined
    case 'symbol':
      return `[${String(value)}]`
    case 'function':
      return '[function]'
    default:
      break
  }
  if (value === null || value === undefined) return null
  if (above.includes(value)) return '[circular]'
  if (depth >= maxDepth) return '[too deep]'
  above.push(value)
  try {
    return convertObject(value, key, depth, above)
  } catch (error) {
    return `[unreadable: ${error instanceof Error ? describeReason(error) : 'thrown by a getter'}]`
  } finally {
    above.pop()
  }
}

function convertObject(value: object, key: string, depth: number, above: object[]): Json | undefined {
  const { toJSON } = value as { toJSON?: unknown }
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[binary: ${value.byteLength} bytes]`
  if (typeof toJSON === 'function') {
    const replaced: unknown = toJSON.call(value, key)
    return replaced === value ? '[circular]' : convert(replaced, key, depth + 1, above)
  }
  if (Array.isArray(value)) return Array.from(value, (part: unknown, index) => convert(part, String(index), depth + 1, above) ?? null)
  if (value instanceof Error)
    return convertEntries([['name', value.name], ['message', value.message], ...Object.entries(value)], depth, above)
  if (value instanceof Map) return Array.from(value, (entry) => convert(entry, '', depth + 1, above) ?? null)
  if (value instanceof Set) return Array.from(value, (part) => convert(part, '', depth + 1, above) ?? null)
  return convertEntries(Object.entries(value), depth, above)
}

function convertEntries(entries: Iterable<readonly [string, unknown]>, depth: number, above: object[]): Json {
  const converted: Record<string, Json> = {}
  for (const [key, part] of entries) {
    const json = convert(part, key, depth + 1, above)
    if (json === undefined) continue
    // Plain assignment of this one key would set the prototype.
    if (key === '__proto__') Object.defineProperty(converted, key, { value: json, enumerable: true, configurable: true, writable: true })
    else converted[key] = json
  }
  return converted
}
