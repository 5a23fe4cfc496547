/**
 * The delegating side: how deep it is, how it is named as data, and a stand-in for callers that are no agent (P1, S26).
 */
import { SubagentError } from './errors.ts'
import type { ParentAgent, ParentRef, SessionEvent, SessionOrigin, ToolFilter } from './types.ts'

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

/**
 * The parent as data (V3).
 * @param lineage the agents above it, outermost first, where a run of this process tells them; else they are those of its session's
 * origin
 */
export function parentRef(parent: ParentAgent, lineage: readonly string[] | undefined, toolFilter?: ToolFilter): ParentRef {
  const { id, cwd, origin } = parent.session.header
  return {
    agentId: parent.id,
    sessionId: id,
    ...(cwd !== undefined && { cwd }),
    depth: depthOf(parent),
    lineage: (lineage ?? origin?.lineage ?? []).concat(parent.id),
    ...(toolFilter && { toolFilter }),
    // Below a run of this process it is that run's trace that goes on.
    ...(lineage === undefined && origin?.traceparent !== undefined && { traceparent: origin.traceparent }),
  }
}

const traceparentForm = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

/** A frozen copy. @throws SubagentError INVALID_REQUEST naming the field */
export function ownOrigin(value: unknown, field = 'origin'): SessionOrigin {
  const refuse = (what: string) => new SubagentError('INVALID_REQUEST', `${field}${what}.`)
  if (typeof value !== 'object' || value === null) throw refuse(' must be an object with a lineage')
  const { lineage, traceparent } = value as Partial<Record<keyof SessionOrigin, unknown>>
  if (!Array.isArray(lineage) || lineage.some((id) => typeof id !== 'string' || id === ''))
    throw refuse('.lineage must be an array of agent ids, outermost first')
  if (traceparent !== undefined && (typeof traceparent !== 'string' || !traceparentForm.test(traceparent)))
    throw refuse('.traceparent must be one of W3C Trace Context, as 00-<32 hex digits>-<16 hex digits>-01')
  return Object.freeze({ lineage: Object.freeze([...(lineage as string[])]), ...(traceparent !== undefined && { traceparent }) })
}

/**
 * A parent for a caller that has no agent of this package: a script, a server handler, another framework's loop (S26).
 *
 * @param options.cwd absolute working directory that children inherit
 * @param options.id @default 'root'
 * @param options.depth delegation depth of the caller itself @default 0
 * @param options.origin what led to the caller from another process, as that handed it on @default nothing
 * @throws SubagentError INVALID_REQUEST
 */
export function rootAgent(options: RootAgentOptions = {}): ParentAgent {
  return standIn('rootAgent', options, [])
}

/** Who delegates, where no agent of this package does. */
export interface RootAgentOptions {
  /** Directory that children inherit. @default none */
  readonly cwd?: string
  /** @default 'root' */
  readonly id?: string
  /** Delegation depth of the caller itself: its children are one deeper. @default 0 */
  readonly depth?: number
  /** What led to it from another process. @default nothing */
  readonly origin?: SessionOrigin
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
  const origin = options.origin === undefined ? {} : { origin: ownOrigin(options.origin, `${maker}: origin`) }
  return {
    id,
    options: {},
    session: { header: { version: 1, id, createdAt: 0, ...(cwd !== undefined && { cwd }), delegationDepth, ...origin }, events },
  }
}
