/**
 * Release: the provider frees what the child holds, within a bound (R11).
 */
import { SubagentError } from '../errors.ts'
import { disposeChildRuns } from './child-runs.ts'
import { debug, describeThrown, warn } from './contain.ts'
import type { RunRecord } from './record.ts'

/** Sends `released` or `release-failed` when the provider's `dispose` has come to an end. */
export function releaseChild(record: RunRecord, graceMs: number): void {
  disposeChildRuns(record)
  const { child } = record
  if (!child) {
    record.send({ type: 'released' })
    return
  }
  record.arm('release', graceMs, () => releaseEnded(record, 'release-failed'))
  let disposal: Promise<void>
  try {
    disposal = Promise.resolve(child.dispose())
  } catch (error) {
    failed(record, error)
    return
  }
  disposal.then(
    () => releaseEnded(record, 'released'),
    (error: unknown) => failed(record, error),
  )
}

function failed(record: RunRecord, error: unknown): void {
  if (!record.isLive) {
    debug(record.host.logger, `The release of run ${record.runId} failed after it was given up: ${describeThrown(error)}`)
    return
  }
  record.releaseError = { error }
  warn(record.host.logger, `The release of run ${record.runId} (provider ${record.providerName}) failed: ${describeThrown(error)}`)
  releaseEnded(record, 'release-failed')
}

/** The release has come to its end, or to the end of its grace. */
export function releaseEnded(record: RunRecord, type: 'released' | 'release-failed'): void {
  if (!record.isLive) return
  record.send({ type })
  // A run that was stopped with its registry no longer moves: its disposal ends here. One that is in the middle of a step
  // (a provider's dispose that throws) takes the event right after it.
  if (record.isLive && record.ref.getSnapshot().status !== 'active') forget(record, type === 'released' ? 'done' : 'failed')
}

/** The run is over: its record goes, and whoever waits for the disposal hears how it ended. */
export function forget(record: RunRecord, release: 'done' | 'failed' | 'none'): void {
  const { host, runId } = record
  record.disarmAll()
  host.records.delete(runId)
  record.isLive = false
  host.childRuns.delete(record)
  host.parentLinks.unlink(record)
  if (record.childId !== undefined && host.runIdsByAgent.get(record.childId) === runId) host.runIdsByAgent.delete(record.childId)
  if (record.request.signal) host.abortLinks.unlink(record.request.signal, record)
  host.slots.release(record)
  record.gone()
  if (record.startError) {
    record.closeUpdates()
    record.settle({ error: record.startError.error })
    record.ended()
  }
  if (release === 'failed') record.releaseError ??= { error: leak(record) }
  record.released()
}

function leak(record: RunRecord): SubagentError {
  const { runId, providerName, resolved } = record
  record.leaked = true
  const message = `The release of run ${runId} (provider ${providerName}) did not end within ${resolved.releaseGraceMs} ms. The run is given up, and what its child still holds is leaked: look at what dispose() waits for, or raise releaseGraceMs.`
  warn(record.host.logger, message)
  return new SubagentError('RELEASE_TIMEOUT', message)
}
