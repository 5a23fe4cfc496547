/**
 * Runs of a persisted registry, after its process is gone: their children are lost, and each is brought to its end (R3).
 */
import type { RunMachineContext, RunSnapshot } from '../machines/run.ts'
import type { RunHost } from '../run/host.ts'
import { RunRecord } from '../run/record.ts'
import { rootAgent } from '../parent.ts'
import type { ResolvedStartRequest, SubagentFailure, SubagentProvider } from '../types.ts'
import { SubagentError } from '../errors.ts'

const lost: SubagentFailure = {
  code: 'LOST',
  phase: 'running',
  retryable: true,
  message: 'The process that ran the child ended before the run had settled. Start it again.',
}

/** Settles a run that was live when it was persisted as `error` with code LOST, and disposes it; one that waited ends as aborted. */
export function settleLost(host: RunHost, persisted: unknown, spawn: (record: RunRecord, snapshot: unknown) => void): void {
  const { context } = persisted as RunSnapshot
  const { provider, parentRunId } = context
  const request = { parent: rootAgent(), prompt: '' }
  const record = new RunRecord(
    host,
    { name: provider, provider: gone(provider), request, resolved: resolvedOf(context), parentRunId },
    undefined,
    host.clock.now(),
  )
  spawn(record, persisted)
  record.send({ type: 'abort-before-start', reason: 'lost' })
  record.send({ type: 'settle', stopReason: 'error', failure: lost })
  void record.dispose().catch(() => {})
  // A release that was under way ended with the process.
  record.send({ type: 'released' })
}

function gone(name: string): SubagentProvider {
  const start = (): never => {
    throw new SubagentError('LOST', lost.message)
  }
  return { name, capabilities: { outputSchema: false, depthLimit: false, toolFilter: false }, start }
}

/** As much of the request as a snapshot holds: a prompt is not persisted. */
function resolvedOf(context: RunMachineContext): ResolvedStartRequest {
  const { runId, label, timeoutMs, cancelGraceMs, releaseGraceMs } = context
  return {
    runId,
    prompt: [],
    parent: { agentId: '', sessionId: '', depth: 0, lineage: [] },
    depth: 1,
    ...(label !== undefined && { label }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    cancelGraceMs,
    releaseGraceMs,
  }
}
