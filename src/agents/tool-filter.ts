/** Which tools an agent sees (G10, P10): `allow` first, then `deny`. */
import { SubagentError } from '../errors.ts'
import type { ParentAgent, ToolFilter } from '../types.ts'

export { intersectToolFilters } from '../parent.ts'

/** What an agent may use, its parents' filters included; `undefined` where nothing is kept from it. */
export function toolFilterOf(agent: ParentAgent): ToolFilter | undefined {
  return agent.toolFilter
}

export function isAllowed(filter: ToolFilter, name: string): boolean {
  return (filter.allow === undefined || filter.allow.includes(name)) && !filter.deny?.includes(name)
}

/** @throws SubagentError INVALID_REQUEST naming what is unknown */
export function checkToolFilter(filter: ToolFilter, known: readonly string[]): void {
  for (const [list, names] of [
    ['allow', filter.allow],
    ['deny', filter.deny],
  ] as const) {
    if (names === undefined) continue
    if (!Array.isArray(names))
      throw new SubagentError('INVALID_REQUEST', `toolFilter.${list} must be an array of tool names, got ${typeof names}.`)
    const unknown = names.filter((name) => !known.includes(name as string))
    if (unknown.length === 0) continue
    const available = known.length > 0 ? `The agent's tools are ${known.join(', ')}.` : 'The agent has no tools.'
    throw new SubagentError('INVALID_REQUEST', `toolFilter.${list} names tools that do not exist: ${unknown.join(', ')}. ${available}`)
  }
}
