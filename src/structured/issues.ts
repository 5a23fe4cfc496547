/**
 * What is wrong with a value, worded so that a model can repair it: where, what was expected, what was there. Never the whole
 * value, which the model has written itself and which may be long.
 */
export interface Issue {
  /** As one would write it in code: `items[0].name`; `''` is the value itself. */
  readonly path: string
  readonly message: string
  /** The message may quote the value, as those of schema libraries do. */
  readonly quotes?: boolean
  /** What was there, in a few words. */
  readonly was?: string
}

/** More of them would hide the first. */
const shown = 12

/** The issues as lines for the model that wrote the value. */
export function describeIssues(issues: readonly Issue[]): string {
  return list(issues, ({ message, was }) => (was === undefined ? message : `${message}, was ${was}`))
}

/** The issues as lines for a diagnostic, where nothing of the value may show (R14). */
export function describeIssuesSafely(issues: readonly Issue[]): string {
  return list(issues, ({ message, quotes }) => (quotes ? 'does not fit' : message))
}

function list(issues: readonly Issue[], describe: (issue: Issue) => string): string {
  const lines = issues.slice(0, shown).map((issue) => `- ${issue.path === '' ? 'the value' : issue.path}: ${describe(issue)}`)
  if (issues.length > shown) lines.push(`- and ${issues.length - shown} more`)
  return lines.join('\n')
}

/** `items[0].name` of `['items', 0, 'name']`. */
export function pathOf(segments: readonly PropertyKey[]): string {
  return segments.map((segment, index) => step(segment, index)).join('')
}

function step(segment: PropertyKey, index: number): string {
  if (typeof segment === 'number') return `[${segment}]`
  const name = String(segment)
  if (!/^[A-Za-z_$][\w$]*$/.test(name)) return `[${JSON.stringify(name)}]`
  return index === 0 ? name : `.${name}`
}

/** What stands at a path, or `undefined`. */
export function at(value: unknown, segments: readonly PropertyKey[]): unknown {
  let part = value
  for (const segment of segments) {
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, segment)) return undefined
    part = (part as Record<PropertyKey, unknown>)[segment]
  }
  return part
}

/** A value in a few words. */
export function brief(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value === 'string')
    return value.length > 40 ? `${JSON.stringify(value.slice(0, 40))}… (${value.length} characters)` : JSON.stringify(value)
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : `an array of ${value.length}`
  if (typeof value !== 'object') return `a ${typeof value}`
  const keys = Object.keys(value)
  return keys.length === 0 ? 'an empty object' : `an object with ${keys.slice(0, 5).join(', ')}${keys.length > 5 ? ', …' : ''}`
}
