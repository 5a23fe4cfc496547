/**
 * Starting the child: what a provider's `start` gets, and what it has to give back (R18, S13).
 */
import { SubagentError } from '../errors.ts'
import type { PermissionRequest, ProviderRun, RunContext, SubagentUpdateContent } from '../types.ts'
import { ask, askAgain } from './ask.ts'
import { contain, isThenable } from './contain.ts'
import type { RunRecord } from './record.ts'
import { providerRequest } from './request.ts'
import { watchResult } from './settle.ts'
import { sharedGetters } from './shared-getters.ts'

/** @returns false where the child could not be started; nothing was announced then */
export function startChild(record: RunRecord, timeoutMs: number | null): boolean {
  let child: ProviderRun
  let signalsReady: boolean | undefined
  record.holdEvents()
  try {
    signalsReady = record.provider.signalsReady
    const request = providerRequest(record.request, record.resolved, record)
    const context = runContext(record)
    child = checkRun(record, record.begin ? record.begin(request, context) : record.provider.start(request, context))
  } catch (error) {
    record.startError = { error }
    record.sendHeld(false)
    record.send({ type: 'start-failed' })
    return false
  }
  record.child = child
  if (typeof child.id === 'string' && child.id !== record.runId) {
    record.childId = child.id
    record.host.runIdsByAgent.set(child.id, record.runId)
  }
  record.onChild?.(child)
  watchResult(record, child)
  if (timeoutMs !== null) record.arm('deadline', timeoutMs, () => record.send({ type: 'deadline' }))
  if (record.asks?.size) record.pause('deadline')
  record.sendHeld(true)
  if (!signalsReady) isReady(record)
  return true
}

// Functions of their own, not methods: providers take this object apart.
function runContext(record: RunRecord): RunContext {
  const { runId, resolved, host } = record
  const context = {
    runId,
    resolved,
    logger: host.logger,
    clock: host.clock,
    ready: () => ready(record),
    update: (update: SubagentUpdateContent) => contain(host.logger, `An update of run ${runId}`, () => record.reports.take(update)),
    ask: (request: PermissionRequest) => ask(record, request),
  }
  return withSignalAndSelf(context, record)
}

const withSignalAndSelf = sharedGetters<RunRecord, Pick<RunContext, 'signal' | 'self'>>({
  signal: (record) => record.signal,
  self({ host, ref }) {
    host.watchChildren(ref)
    return ref
  },
})

/** A provider that signals it has a moment of readiness of its own; for others `subagent/start` is that moment. */
function ready(record: RunRecord): void {
  if (!record.provider.signalsReady || record.signalledReady) return
  record.signalledReady = true
  record.reports.take({ type: 'ready' })
  isReady(record)
}

function isReady(record: RunRecord): void {
  record.send({ type: 'ready' })
  if (record.asks) askAgain(record)
}

/**
 * What is there of a run that is none is torn down first.
 * @throws SubagentError INVALID_PROVIDER naming what is missing; what a field throws when it is read
 */
function checkRun(record: RunRecord, run: ProviderRun | undefined): ProviderRun {
  let flaw: string | undefined
  try {
    flaw = flawOf(run)
  } catch (error) {
    discard(record, run)
    throw error
  }
  if (flaw === undefined) return run!
  discard(record, run)
  throw new SubagentError(
    'INVALID_PROVIDER',
    `start() of provider ${JSON.stringify(record.providerName)} ${flaw}. It must return { result: Promise, cancel(), dispose() } at once.`,
  )
}

/** Reads every field that is read later, so that one that cannot be read fails the start. */
function flawOf(run: ProviderRun | undefined): string | undefined {
  if (isThenable(run)) return 'returned a promise: start is synchronous, the work belongs into result'
  if (typeof run !== 'object' || run === null) return `returned ${run === null ? 'null' : typeof run} in place of a run`
  const { result, cancel, dispose } = run
  if (!isThenable(result)) return 'returned a run without a promise as result'
  if (typeof cancel !== 'function') return 'returned a run without cancel()'
  if (typeof dispose !== 'function') return 'returned a run without dispose()'
  void [run.id, run.sendMessage, run.resume, run.detach]
  return undefined
}

function discard(record: RunRecord, run: Partial<ProviderRun> | null | undefined): void {
  const { logger } = record.host
  const provider = JSON.stringify(record.providerName)
  contain(logger, `The run of provider ${provider}`, () => (isThenable(run) ? run : run?.result))
  contain(logger, `dispose() of provider ${provider}`, () => (typeof run?.dispose === 'function' ? run.dispose() : undefined))
}
