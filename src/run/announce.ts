/**
 * The lifecycle events of a run, each dispatched once (R6, S14–S16).
 */
import type { ContentBlock, SubagentEndEvent } from '../types.ts'
import { describeThrown, warn } from './contain.ts'
import { copy, deepFreeze } from './copy.ts'
import type { RunRecord } from './record.ts'

export function announceStart(record: RunRecord): void {
  const { host, providerName, id, runId, parentRunId, resolved } = record
  host.relay.dispatch({
    type: 'subagent/start',
    provider: providerName,
    id,
    runId,
    ...(parentRunId !== undefined && { parentRunId }),
    ...(resolved.label !== undefined && { label: resolved.label }),
  })
  record.openUpdates()
}

export function announceEnd(record: RunRecord): void {
  const { host, providerName, id, runId, settlement, startedAt } = record
  const result = settlement && 'result' in settlement ? settlement.result : undefined
  const lastAssistantMessage = result && frozenCopy(record, result.output)
  const event: SubagentEndEvent = {
    type: 'subagent/end',
    provider: providerName,
    id,
    runId,
    stopReason: result?.stopReason ?? 'error',
    ...(lastAssistantMessage && { lastAssistantMessage }),
    ...(result?.failure && { failure: result.failure }),
    ...(result?.usage && { usage: result.usage }),
    durationMs: Math.max(0, host.clock.now() - startedAt),
  }
  host.relay.dispatch(event)
  // After the event, so that whoever counts runs by their events never counts more than there are slots.
  host.slots.release(record)
  record.ended()
  if (record.disposing) record.send({ type: 'dispose' })
}

function frozenCopy(record: RunRecord, output: readonly ContentBlock[]): readonly ContentBlock[] | undefined {
  try {
    return deepFreeze(copy(output))
  } catch (thrown) {
    warn(
      record.host.logger,
      `The output of run ${record.runId} cannot be copied; subagent/end goes out without it: ${describeThrown(thrown)}`,
    )
    return undefined
  }
}
