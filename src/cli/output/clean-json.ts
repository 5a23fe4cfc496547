/** Takes keys out of the values of a line of `--json`, so that the line itself stays what it is, whatever the keys are (C3, C5). */

/** Fields at the top that hold the command's own words. */
const ownWords = new Set(['type', 'runId', 'parentRunId', 'stopReason'])
/** Deeper than this a name can be a model's or a server's. */
const ownNames = 1

/** @returns a copy of what JSON makes of `value`, with each text cleaned by itself */
export function cleanJson(value: object, clean: (text: string) => string): unknown {
  const copy = (part: unknown, depth: number): unknown => {
    if (typeof part === 'string') return clean(part)
    if (Array.isArray(part)) return part.map((item) => copy(item, depth + 1))
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(
      Object.entries(part).map(([name, inner]) => [
        depth > ownNames ? clean(name) : name,
        depth === 0 && ownWords.has(name) ? inner : copy(inner, depth + 1),
      ]),
    )
  }
  return copy(JSON.parse(JSON.stringify(value)), 0)
}
