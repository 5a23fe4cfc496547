/** A state value as a name: `running.active`; the regions of a parallel state in brackets: `on.(left.a, right.b)`. */
export function stateName(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  const regions = Object.entries(value).map(([key, below]) => {
    const rest = stateName(below)
    return rest === '' ? key : `${key}.${rest}`
  })
  return regions.length === 1 ? regions[0]! : regions.length === 0 ? '' : `(${regions.join(', ')})`
}

/** True where the value is the named state, or inside it: `settling` holds `settling.held`. */
export function isIn(value: unknown, name: string): boolean {
  let at = value
  for (const part of name.split('.')) {
    if (at === part) at = undefined
    else if (typeof at === 'object' && at !== null && Object.hasOwn(at, part)) at = (at as Record<string, unknown>)[part]
    else return false
  }
  return true
}
