/**
 * Copies across the boundary: what came from a caller or a provider is never shared with anybody else.
 */
import type { Json } from '../types.ts'

/**
 * A deep copy. Arrays and plain objects are copied here; anything else (dates, maps, typed arrays) by `structuredClone`.
 * @throws what `structuredClone` throws on values that cannot be cloned (functions, sockets), and RangeError on cycles.
 */
export function copy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) {
    if (typeof value === 'function' || typeof value === 'symbol') return structuredClone(value)
    return value
  }
  if (Array.isArray(value)) return value.map(copy) as T
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return structuredClone(value)
  const copied: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const part = copy((value as Record<string, unknown>)[key])
    // Plain assignment of this one key would set the prototype.
    if (key === '__proto__') Object.defineProperty(copied, key, { value: part, enumerable: true, configurable: true, writable: true })
    else copied[key] = part
  }
  return copied as T
}

/**
 * A deep copy of what has to survive JSON.
 * @throws TypeError on what JSON cannot carry, RangeError on cycles
 */
export function copyJson<T>(value: T): T {
  const copied = copy(value)
  if (!isJson(copied, Infinity)) throw new TypeError('it holds something that JSON cannot carry')
  return copied
}

/** True for what comes out of `JSON.parse(JSON.stringify(value))` as it went in, down to `depth` levels. */
export function isJson(value: unknown, depth: number): value is Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || depth < 0) return false
  if (Array.isArray(value)) return value.every((part) => isJson(part, depth - 1))
  const prototype: unknown = Object.getPrototypeOf(value)
  return (
    (prototype === Object.prototype || prototype === null) &&
    Object.values(value).every((part) => part === undefined || isJson(part, depth - 1))
  )
}

/** Freezes a value and all that hangs on it, and returns it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const part of Object.values(value)) deepFreeze(part)
  }
  return value
}
