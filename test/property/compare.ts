/**
 * The model held against the engine, after every step and at the end (K5).
 */
import type { RunStateValue } from '../../src/machines/run.ts'
import type { Model } from './model.ts'
import type { ModelRun, Phase, Result } from './model-run.ts'
import { resultLine } from './real.ts'
import type { Real } from './real.ts'

const values: Record<Phase, string> = {
  checking: 'validating.checking',
  queued: 'validating.queued',
  starting: 'starting',
  active: 'running.active',
  asking: 'running.awaitingPermission',
  draining: 'settling.draining',
  held: 'settling.held',
  releasing: 'settling.releasing',
  disposed: 'disposed',
}

type Differs = (what: string, expected: unknown, got: unknown, run?: ModelRun) => void

/** What is not as the model says, a line each; empty where all is well. */
export function differences(model: Model, real: Real): string[] {
  const found: string[] = [...real.invariants.violations, ...real.faults]
  const differs: Differs = (what, expected, got, run) => {
    if (expected !== got) found.push(`${run ? `r${run.index} ` : ''}${what}: expected ${String(expected)}, got ${String(got)}`)
  }
  differs('outcomes of starts and registrations', model.outcomes.join(', '), real.outcomes.join(', '))
  for (const [index, { log }] of model.events.listeners.entries())
    if (!same(log, real.logs[index]!)) found.push(logDifference(index, log, real.logs[index]!))
  differs('list() (S5)', [...model.events.providers.keys()].join(), real.service.list().join())
  differs('live runs (R5)', [...model.live.keys()].join(), [...real.engine.records.keys()].join())
  differs('state of the registry (S6)', model.state, real.service.ref.getSnapshot().value)
  differs('timers (R8, R9, R11)', model.time.timers.size, real.clock.pending)
  differs('listeners on signals (R15)', model.signals.map(({ runs }) => (runs.size > 0 ? 1 : 0)).join(), real.signalListeners.join())
  differs('subscriptions to parents (S22)', model.parentRuns.size > 0 ? 1 : 0, real.parentActor.observers.size)
  for (const run of model.runs) compareRun(run, real, differs)
  return found
}

function compareRun(run: ModelRun, real: Real, differs: Differs): void {
  const of = real.runs[run.index]!
  const child = real.children.get(run.index)
  if (child) {
    differs('cancels of the child (R7)', run.cancels, child.cancels, run)
    differs('disposals of the child (R10)', run.disposals, child.disposals, run)
    if (child.signal) differs('signal of the child (R7)', run.signalled, child.signal.aborted, run)
    if (child.actor)
      differs('actor below the run (S25)', run.phase === 'disposed' ? 'stopped' : 'active', child.actor.getSnapshot().status, run)
  } else differs('start of its provider', run.reached, false, run)
  const { handle } = of
  if (!handle) return
  const { value } = handle.ref.getSnapshot()
  differs('state (R1)', values[run.phase], pathOf(value), run)
  differs('result (R4, R7, R12)', expectedResult(run), of.result, run)
  if (of.disposal !== 'none') differs('dispose() (R10, R11)', run.disposal, of.disposal, run)
  differs('late (R4)', run.late, handle.late, run)
  differs('dropped updates (R16)', run.dropped, handle.droppedUpdates, run)
  differs('leaked (R11)', run.disposal === 'RELEASE_TIMEOUT', handle.leaked, run)
  differs('its reader ended (R16)', run.result !== undefined, of.readEnded, run)
  if (of.readEnded) differs('updates read (R16)', run.updates, countInOrder(of.read), run)
}

const lines = new WeakMap<Result, string>()

function expectedResult({ result }: ModelRun): string | undefined {
  if (!result) return undefined
  const { stopReason, rejected, text, failure } = result
  const line = lines.get(result) ?? resultLine(rejected ?? { stopReason, text, failure })
  lines.set(result, line)
  return line
}

function pathOf(value: RunStateValue): string {
  if (typeof value === 'string') return value
  const [[state, substate] = []] = Object.entries(value)
  return `${state}.${substate}`
}

/** How many of them there are, or -1 where they are not 0, 1, 2, … */
function countInOrder(read: readonly number[]): number {
  return read.every((seq, index) => seq === index) ? read.length : -1
}

/** What was held against each other in an earlier step is not looked at again. */
const compared = new WeakMap<readonly string[], number>()

function same(expected: readonly string[], got: readonly string[]): boolean {
  if (expected.length !== got.length) return false
  for (let index = compared.get(got) ?? 0; index < got.length; index++) if (expected[index] !== got[index]) return false
  compared.set(got, got.length)
  return true
}

function logDifference(listener: number, expected: readonly string[], got: readonly string[]): string {
  const at = expected.findIndex((line, index) => line !== got[index])
  const from = at < 0 ? expected.length : at
  return `listener ${listener} heard, from event ${from} on (R6, R16, S15–S18, S21, S22): expected ${JSON.stringify(expected.slice(from))}, got ${JSON.stringify(got.slice(from))}`
}

/** What is left of a service whose runs have all ended and been released: nothing. */
export function leftovers(real: Real): string[] {
  const { engine, clock } = real
  real.invariants.finish()
  const counts = {
    records: engine.records.size,
    'run ids by agent': engine.runIdsByAgent.size,
    'linked signals': engine.abortLinks.size,
    timers: clock.pending,
    'listeners on signals': real.signalListeners.reduce((sum, count) => sum + count, 0),
    'subscriptions to parents': real.parentActor.observers.size,
    'actors below runs': [...real.children.values()].filter(({ actor }) => actor?.getSnapshot().status === 'active').length,
    'runs that are not disposed': real.runs.filter(({ handle }) => handle && handle.ref.getSnapshot().status === 'active').length,
  }
  return [
    ...real.invariants.violations,
    ...Object.entries(counts).flatMap(([what, count]) => (count === 0 ? [] : [`left over: ${count} ${what}`])),
  ]
}
