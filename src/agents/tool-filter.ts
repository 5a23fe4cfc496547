/** Which tools an agent sees (G10, P10): `allow` first, then `deny`. */
import { SubagentError } from '../errors.ts'
import type { ParentAgent, ToolFilter } from '../types.ts'

const filters = new WeakMap<ParentAgent, ToolFilter>()

/** The filter an in-process agent was made with, its parents' included; `undefined` for any other agent, and for none. */
export function toolFilterOf(agent: ParentAgent): ToolFilter | undefined {
  return filters.get(agent)
}

export function rememberToolFilter(agent: ParentAgent, filter: ToolFilter): void {
  filters.set(agent, filter)
}

export function isAllowed(filter: ToolFilter, name: string): boolean {
  return (filter.allow === undefined || filter.allow.includes(name)) && !filter.deny?.includes(name)
}

/** What both filters let through. */
export function intersectToolFilters(first: ToolFilter | undefined, second: ToolFilter | undefined): ToolFilter | undefined {
  if (!first || !second) return first ?? second
  const deny = [...new Set([...(first.deny ?? []), ...(second.deny ?? [])])]
  const allow = first.allow && second.allow ? first.allow.filter((name) => second.allow!.includes(name)) : (first.allow ?? second.allow)
  return { ...(allow && { allow }), ...(deny.length > 0 && { deny }) }
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
