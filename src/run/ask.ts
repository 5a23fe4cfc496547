/**
 * Questions of a child that wait for a permission (A13). Several may be open at once; the machine hears of the first and of
 * the last, and each is published once, at once, in whatever phase it is asked.
 */
import type { PermissionAnswer, PermissionQuestion, PermissionRequest } from '../types.ts'
import type { RunRecord } from './record.ts'

export function ask(record: RunRecord, request: PermissionRequest): { answer(): void; decide?(): Promise<PermissionAnswer | undefined> } {
  const asks = (record.asks ??= new Map())
  asks.set(request, false)
  // The machine has no place to wait in before the run is ready; its clock stands still all the same (R9).
  const isStarting = (): boolean => record.provider.signalsReady === true && !record.signalledReady
  if (asks.size === 1) {
    record.send({ type: 'ask', request })
    if (isStarting()) record.pause('deadline')
  }
  publishAsk(record, request)
  const { onPermission } = record.host
  return {
    answer: () => {
      if (!asks.delete(request) || asks.size > 0) return
      record.send({ type: 'answer' })
      if (isStarting()) record.resume('deadline')
    },
    ...(onPermission && { decide: async () => onPermission(questionOf(record, request)) }),
  }
}

function questionOf({ runId, providerName, resolved }: RunRecord, request: PermissionRequest): PermissionQuestion {
  const { label, parent } = resolved
  return { runId, provider: providerName, lineage: parent.lineage, ...(label !== undefined && { label }), request }
}

export function publishAsk(record: RunRecord, request: PermissionRequest): void {
  if (record.asks?.get(request) !== false) return
  record.asks.set(request, true)
  record.reports.take({ type: 'permission', request })
}

/** A question that came before the run could wait for it is put again once it can. */
export function askAgain(record: RunRecord): void {
  const [request] = record.asks?.keys() ?? []
  if (request) record.send({ type: 'ask', request })
}
