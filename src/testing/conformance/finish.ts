/** Brings a case to its end, however far it got, and tells what is left then. */
import { describeThrown } from '../../run/contain.ts'
import { turns, until } from '../turns.ts'
import { caseTimes } from './case.ts'
import { Found } from './failure.ts'
import type { Stage } from './stage.ts'

/** Lets go of what is held, disposes every run, and frees the slot. Fails never. */
export async function finish(stage: Stage): Promise<void> {
  const { subject, runs, blocker, clock, patienceMs } = stage
  const quietly = async (call: () => unknown): Promise<void> => {
    try {
      await call()
    } catch {
      // A control that cannot any more has nothing left to do.
    }
  }
  for (const question of stage.questions) await quietly(() => question.answer())
  for (const letGo of stage.held) await quietly(letGo)
  for (const [child, { run, disposal }] of runs.entries()) {
    if (!run) continue
    if (disposal === 'none') stage.dispose(child)
    if (stage.arranged.has('ignoreCancel')) await quietly(() => subject.settle('too late', child))
  }
  let isFree = blocker === undefined
  const freed = (): void => void (isFree = true)
  blocker?.dispose().then(freed, freed)
  const areOver = (): boolean => isFree && runs.every(({ run, disposal }) => !run || (disposal !== 'open' && disposal !== 'none'))
  if (!(await until(areOver, patienceMs))) {
    // What does not end by itself is given up, so that no case waits for another.
    clock.advance(caseTimes.cancelGraceMs)
    await turns()
    clock.advance(caseTimes.releaseGraceMs)
    await until(areOver, 0)
  }
}

/** With every run disposed, and the service still open. @throws Found */
export async function checkNothingLeft(stage: Stage): Promise<void> {
  const { service, runs, clock, caller, subject, arranged } = stage
  const stuck = runs.find(({ run }) => run?.leaked)
  if (stuck && !arranged.has('failRelease') && !arranged.has('holdRelease'))
    throw new Found({
      expected: 'dispose() to resolve',
      seen: 'it was given up after its grace',
      look: 'dispose() of the run that start() gave: its promise has to resolve once the child is gone, also after a cancel',
    })

  const live = Object.keys((service.ref.getPersistedSnapshot() as { readonly runs?: object }).runs ?? {})
  if (live.length > 0) throw new Found({ expected: 'no live run', seen: live.join(', '), look: 'dispose() of the run that start() gave' })
  const actors = [...stage.actors].filter((actor) => actor.getSnapshot().status === 'active')
  if (actors.length > 0)
    throw new Found({
      expected: 'no actor left',
      seen: actors.map(({ id, src }) => `${id}${typeof src === 'string' ? ` (${src})` : ''}`).join(', '),
      look: 'the actors of the child: make them with context.self as parent, or stop them in dispose()',
    })
  if (caller.listeners > 0)
    throw new Found({
      expected: "no listener on the caller's signal",
      seen: String(caller.listeners),
      look: 'who listens: a provider listens to context.signal',
    })
  // A release that failed has freed nothing for certain.
  if (arranged.has('failRelease')) return
  if (clock.pending > 0)
    throw new Found({
      expected: 'no timer left on the clock',
      seen: `${clock.pending} set`,
      look: 'dispose(): clear every timer of context.clock, also where the child never settled',
    })
  await turns(1)
  const left = (await subject.leftovers?.()) ?? []
  if (left.length > 0)
    throw new Found({
      expected: 'nothing left of the child',
      seen: left.join(', '),
      look: 'dispose(): its promise resolves when nothing of the child is left',
    })
}

/** Closes the service and frees what the subject holds. @throws Found where the service does not close */
export async function closeStage(stage: Stage): Promise<void> {
  let closed = false
  void stage.service.close().then(() => (closed = true))
  const isClosed = await until(() => closed, 0)
  try {
    await stage.subject.cleanUp?.()
  } catch (error) {
    throw new Found(
      { expected: 'cleanUp() of the subject to end', seen: describeThrown(error), look: 'cleanUp() of what makeProvider returns' },
      error,
    )
  }
  if (!isClosed)
    throw new Found({ expected: 'service.close() to resolve', seen: 'it is pending', look: 'dispose() of the run that start() gave' })
}
