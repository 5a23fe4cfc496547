/**
 * The delegating side: how deep it is, how it is named as data, and a stand-in for callers that are no agent (P1, S26).
 */
import { SubagentError } from './errors.ts'
import type { ParentAgent, ParentRef, SessionEvent, ToolFilter } from './types.ts'

/**
 * Delegation depth of an agent: its session's, which only its own options may deepen (P1).
 * @returns 0 for an agent that nobody delegated to
 */
export function depthOf(agent: ParentAgent): number {
  return Math.max(depth(agent.session.header.delegationDepth), depth(agent.options.subagentDepth))
}

/** A depth that is absent or no depth at all counts as 0, so that it cannot lower or void another. */
function depth(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0
}

/** What both filters let through (P10). */
export function intersectToolFilters(first: ToolFilter | undefined, second: ToolFilter | undefined): ToolFilter | undefined {
  if (!first || !second) return first ?? second
  const deny = [...new Set([...(first.deny ?? []), ...(second.deny ?? [])])]
  const allow = first.allow && second.allow ? first.allow.filter((name) => second.allow!.includes(name)) : (first.allow ?? second.allow)
  return { ...(allow && { allow }), ...(deny.length > 0 && { deny }) }
}

/** The parent as data (V3). `lineage` are the agents above it, outermost first. */
export function parentRef(parent: ParentAgent, lineage: readonly string[], toolFilter?: ToolFilter): ParentRef {
  const { id, cwd } = parent.session.header
  return {
    agentId: parent.id,
    sessionId: id,
    ...(cwd !== undefined && { cwd }),
    depth: depthOf(parent),
    lineage: [...lineage, parent.id],
    ...(toolFilter && { toolFilter }),
  }
}

/**
 * A parent for a caller that has no agent of this package: a script, a server handler, another framework's loop (S26).
 *
 * @param options.cwd absolute working directory that children inherit
 * @param options.id @default 'root'
 * @param options.depth delegation depth of the caller itself @default 0
 * @throws SubagentError INVALID_REQUEST
 */
export function rootAgent(options: RootAgentOptions = {}): ParentAgent {
  return standIn('rootAgent', options, [])
}

export interface RootAgentOptions {
  readonly cwd?: string
  readonly id?: string
  readonly depth?: number
}

/** @param maker whose options they are, for the message @param events its log, from then on frozen */
export function standIn(maker: string, options: RootAgentOptions, events: readonly SessionEvent[]): ParentAgent {
  const refuse = (what: string) => new SubagentError('INVALID_REQUEST', `${maker}: ${what}.`)
  if (typeof options !== 'object' || options === null)
    throw refuse(`options must be an object, got ${options === null ? 'null' : typeof options}`)
  const { cwd, id = 'root', depth: delegationDepth = 0 } = options
  if (typeof id !== 'string' || id === '') throw refuse(`id must be a non-empty string, got ${JSON.stringify(id)}`)
  if (cwd !== undefined && (typeof cwd !== 'string' || cwd === ''))
    throw refuse(`cwd must be the path of a directory, got ${JSON.stringify(cwd)}`)
  if (!Number.isSafeInteger(delegationDepth) || delegationDepth < 0)
    throw refuse(`depth must be a whole number from 0, got ${String(delegationDepth)}`)
  return {
    id,
    options: {},
    session: { header: { version: 1, id, createdAt: 0, ...(cwd !== undefined && { cwd }), delegationDepth }, events },
  }
}
