/** Several parts of one `_meta`: objects are merged, anything else is the later one's. */
type Meta = { readonly [key: string]: unknown }

export function mergeMeta(parts: readonly Meta[]): Meta {
  return parts.reduce((merged, part) => {
    const next: Record<string, unknown> = { ...merged }
    for (const [key, value] of Object.entries(part))
      next[key] = isPlain(value) && isPlain(next[key]) ? mergeMeta([next[key], value]) : value
    return next
  }, {})
}

const isPlain = (value: unknown): value is Meta => typeof value === 'object' && value !== null && !Array.isArray(value)
