/**
 * The door of a registry: whether a start is taken, decided before anything exists of it (S8–S12).
 *
 * The checks come in the contract's order: closed, name, request, capability, depth, abort, slot. The last two belong to
 * the run itself: they are events to it, not refusals.
 */
import type { AnyActorRef } from 'xstate'
import { SubagentDepthError, SubagentError } from '../errors.ts'
import { intersectToolFilters, parentRef } from '../parent.ts'
import type { RunHost } from '../run/host.ts'
import type { Admission } from '../run/record.ts'
import { checkRequest, filterLists, invalid } from '../run/request.ts'
import type { RequestDefaults } from '../run/request.ts'
import { traceparentFor } from '../run/traceparent.ts'
import type {
  ParentAgent,
  ResolvedStartRequest,
  SubagentCapabilities,
  SubagentProvider,
  SubagentStartRequest,
  ToolFilter,
} from '../types.ts'
import type { ParentRefs } from './parent-refs.ts'
import type { Providers } from './providers.ts'

export interface Door extends RunHost {
  readonly providers: Providers
  readonly parentRefs: ParentRefs
  readonly defaults: RequestDefaults
  readonly isOpen: boolean
  readonly ref: AnyActorRef
}

/**
 * @param request the engine's own copy of the caller's (`ownRequest`)
 * @param kept where a session is to be continued
 * @throws SubagentError with the first thing that is wrong
 */
export function admit(door: Door, name: string, request: SubagentStartRequest, runId: string, kept?: KeptSession): Admission {
  if (!door.isOpen)
    throw new SubagentError('REGISTRY_CLOSED', 'The service is closing or closed and takes no new runs. Make a new service.')

  const provider = door.providers.get(name)
  if (!provider) {
    const names = door.providers.names().map((known) => JSON.stringify(known))
    const exist = names.length > 0 ? `Registered: ${names.join(', ')}` : 'No provider is registered yet'
    throw new SubagentError(
      'NO_PROVIDER',
      `No provider is named ${typeof name === 'string' ? JSON.stringify(name) : `by a value of type ${typeof name}`}. ${exist}.`,
    )
  }

  const parts = checkRequest(request, door.defaults)
  if (door.records.has(runId))
    throw new SubagentError('DUPLICATE_RUN', `A live run has the id ${JSON.stringify(runId)}. Leave id out, or dispose that run first.`)

  if (kept) checkKept(name, provider, kept)
  checkCapabilities(name, provider, request)

  const { parent, maxDepth, agentOptions } = request
  const parentRun = parentRunOf(door, parent)
  const parentRunId = parentRun?.runId
  const ref = parentRef(parent, parentRun?.parent.lineage, filterOf(parent, parentRun))
  const depth = ref.depth + 1
  if (maxDepth !== undefined && depth > maxDepth) throw new SubagentDepthError(depth, maxDepth)
  const traceparent = traceparentFor(door, { runId, provider: name, parentRunId, depth, ...parts })

  // What of the options is JSON is a copy to its depth; a model object stays the caller's own.
  const copied = agentOptions ? { ...request, agentOptions: { ...agentOptions, ...parts.agentOptions } } : request
  return {
    name,
    provider,
    request: copied,
    resolved: Object.freeze({ runId, ...parts, parent: door.parentRefs.shared(parent, Object.assign(ref, traceparent)), depth }),
    parentRunId,
  }
}

/**
 * The live run whose child this parent is, by the child's id. A run that is named as its own parent is, as where a caller has
 * one id for its job and for itself, is nobody's parent by that name.
 */
function parentRunOf({ records, runIdsByAgent }: Door, parent: ParentAgent): ResolvedStartRequest | undefined {
  const resolved = (records.get(parent.id) ?? records.get(runIdsByAgent.get(parent.id) ?? ''))?.resolved
  return resolved?.parent.agentId === parent.id ? undefined : resolved
}

/** The session that is to be continued, as the caller named it. */
export interface KeptSession {
  readonly sessionId: unknown
}

function checkKept(name: string, provider: SubagentProvider, { sessionId }: KeptSession): void {
  if (typeof sessionId !== 'string' || sessionId === '') throw invalid('sessionId', 'a non-empty string', sessionId)
  if (typeof provider.resume === 'function') return
  throw new SubagentError(
    'UNSUPPORTED_CAPABILITY',
    `Provider ${JSON.stringify(name)} cannot continue a session (it has no resume). Start a new child, or use another provider.`,
  )
}

/** What a parent may not use no child of it gets, whatever runs the child (P10): its own word, else what its run was asked for. */
function filterOf(parent: ParentAgent, parentRun: ResolvedStartRequest | undefined): ToolFilter | undefined {
  if (parent.toolFilter !== undefined) return filterLists(parent.toolFilter, 'parent.toolFilter')
  return intersectToolFilters(parentRun?.parent.toolFilter, parentRun?.toolFilter)
}

const asks: readonly (readonly [keyof SubagentCapabilities, keyof SubagentStartRequest])[] = [
  ['outputSchema', 'outputSchema'],
  ['depthLimit', 'maxDepth'],
  ['toolFilter', 'toolFilter'],
  ['persona', 'persona'],
]

/** What the caller did not ask for needs no capability; asked means anything but undefined (S10). */
function checkCapabilities(name: string, provider: SubagentProvider, request: SubagentStartRequest): void {
  for (const [capability, field] of asks) {
    if (request[field] === undefined || provider.capabilities[capability]) continue
    throw new SubagentError(
      'UNSUPPORTED_CAPABILITY',
      `Provider ${JSON.stringify(name)} cannot honour ${field} (its capability ${capability} is false). Leave ${field} out, or use another provider.`,
    )
  }
}
