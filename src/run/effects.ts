/**
 * The run machine's effects: action name → what the engine does, after the macrostep is committed (R2).
 *
 * Contract: an effect never throws; one that returns false ends the batch of its macrostep.
 */
import type { RunEffectName, RunEffects } from '../machines/run.ts'
import { announceEnd, announceStart } from './announce.ts'
import { publishAsk } from './ask.ts'
import { stopChildRuns } from './child-runs.ts'
import { contain } from './contain.ts'
import type { RunRecord } from './record.ts'
import { forget, releaseChild } from './release.ts'
import { settleResult } from './settle.ts'
import { startChild } from './start.ts'

type EffectTable = { readonly [Name in RunEffectName]: (record: RunRecord, params: RunEffects[Name]) => boolean | void }

export const effects: EffectTable = {
  awaitSlot: (record) => record.host.slots.wait(record),
  startChild: (record, { timeoutMs }) => startChild(record, timeoutMs),
  announce: (record, { event }) => {
    if (event === 'start') announceStart(record)
    else announceEnd(record)
  },
  ask: (record, { request }) => publishAsk(record, request),
  cancelChild: (record, { reason }) => {
    stopChildRuns(record, reason)
    record.abortSignal(() => new DOMException(reason, 'AbortError'))
    const { child } = record
    if (child) contain(record.host.logger, `cancel() of provider ${JSON.stringify(record.providerName)}`, () => child.cancel(reason))
  },
  armTimer: (record, { timer, ms }) => record.arm(timer, ms, () => record.send({ type: 'give-up' })),
  disarmTimer: (record, { timer }) => record.disarm(timer),
  pauseTimer: (record, { timer }) => record.pause(timer),
  resumeTimer: (record, { timer }) => record.resume(timer),
  settleResult: (record, { outcome }) => settleResult(record, outcome),
  releaseChild: (record, { graceMs }) => releaseChild(record, graceMs),
  forget: (record, { release }) => forget(record, release),
}
