/**
 * What of a delegation crosses into the child's process, in its environment and in `_meta` (A6, A15, I6). Nothing else does.
 */
import type { ResolvedStartRequest } from '../../types.ts'

/** Key of this package in `_meta`. */
const metaKey = 'xstate-subagents'

/** What of it holds for a process from its start, whichever run it is given to; the rest is in `_meta` alone then (A24). */
export function placeEnvironment({ depth, maxDepth }: ResolvedStartRequest): Record<string, string> {
  return { SUBAGENT_DEPTH: String(depth), ...(maxDepth !== undefined && { SUBAGENT_MAX_DEPTH: String(maxDepth) }) }
}

/**
 * `SUBAGENT_DEPTH` is the depth of the child itself, `SUBAGENT_MAX_DEPTH` the limit of its request, `SUBAGENT_LINEAGE` the
 * agent ids above it as a JSON array, outermost first.
 */
export function crossingEnvironment(resolved: ResolvedStartRequest): Record<string, string> {
  const { parent } = resolved
  return {
    ...placeEnvironment(resolved),
    SUBAGENT_LINEAGE: JSON.stringify(parent.lineage),
    ...(parent.traceparent !== undefined && { TRACEPARENT: parent.traceparent }),
  }
}

/** `traceparent` stands at the top, where the protocol keeps a place for it. */
export function crossingMeta({ runId, depth, maxDepth, parent }: ResolvedStartRequest): { readonly [key: string]: unknown } {
  return {
    [metaKey]: { runId, depth, ...(maxDepth !== undefined && { maxDepth }), lineage: parent.lineage },
    ...(parent.traceparent !== undefined && { traceparent: parent.traceparent }),
  }
}
