/** Does what an act of a case says, and reads the state that has to come of it. */
import type { Json, SubagentStartRequest } from '../../types.ts'
import { describeThrown } from '../../run/contain.ts'
import { turns, until } from '../turns.ts'
import type { ProviderAct } from './case.ts'
import { Found } from './failure.ts'
import { lookAfter } from './look.ts'
import { see } from './see.ts'
import { stateOf } from './stage.ts'
import type { Stage } from './stage.ts'
import type { ControlName } from './subject.ts'

/** @throws Found where the state is another one, or the control fails */
export async function perform(stage: Stage, act: ProviderAct): Promise<void> {
  stage.done.push(act.edge ?? label(act))
  const doing = doIt(stage, act)
  const atOnce = stateOf(stage, act.child ?? 0)
  await doing
  if (act.state !== undefined) await expectState(stage, act, act.state, atOnce)
  else if (act.when === 'still') await turns()
  // Between two acts whoever has something to do gets to it.
  else if (act.when !== 'at once') await turns(1)
}

/** An act that a provider may leave out: whether it has what the act is about. */
export function applies(stage: Stage, act: ProviderAct): boolean {
  const run = stage.runs[0]?.run
  if (act.do === 'send a message') return run !== undefined && 'sendMessage' in run
  if (act.do === 'see' && act.what === 'messages') return run !== undefined && 'sendMessage' in run
  if (act.do === 'resume') return run !== undefined && 'resume' in run
  return act.child === undefined || act.do === 'start' || stage.runs[act.child] !== undefined
}

/** @throws Found where it is no function */
function letGo(held: unknown): Stage['held'][number] {
  if (typeof held === 'function') return held as Stage['held'][number]
  throw new Found({
    expected: 'control holdRelease to give back the function that lets the release go',
    seen: `it gave back ${held === null ? 'null' : typeof held}`,
    look: 'holdRelease() of the subject: keep the release from ending, and return a function that ends it',
  })
}

async function doIt(stage: Stage, act: ProviderAct): Promise<void> {
  const { subject, runs, clock, caller } = stage
  const child = act.child ?? 0
  const run = runs[child]?.run
  switch (act.do) {
    case 'arrange':
      stage.arranged.add(act.control)
      if (act.control === 'holdRelease') stage.held.push(letGo(await control(act.control, () => subject.holdRelease!(child))))
      else await control(act.control, () => subject[act.control]!(child))
      return
    case 'start':
      if (act.abortInside) stage.watch.beforeStart = () => caller.abort()
      stage.start(child, { ...(act.request as Partial<SubagentStartRequest>), ...denied(stage, act.denyToolOf) })
      stage.watch.beforeStart = undefined
      return
    case 'ready':
      // A provider that is ready at once needs no control, and one that comes ready by itself is waited for.
      if (stage.watch.provider.signalsReady && subject.ready) await control('ready', () => subject.ready!(child))
      if (subject.isUp && !(await until(() => subject.isUp!(child), stage.patienceMs)))
        throw new Found({
          expected: 'the child to be up',
          seen: 'isUp() of the subject is false',
          look: 'start(), which has to bring the child up; isUp() of the subject; and whether patienceMs is enough for it',
        })
      return
    case 'settle':
      await control('settle', () => subject.settle(act.text, child))
      return
    case 'stream':
      await control('stream', () => subject.stream!(act.text, child))
      return
    case 'structure':
      await control('structure', () => subject.structure!(act.value, child))
      return
    case 'fail':
      await control('fail', () => subject.fail!('the child could not do it', child))
      return
    case 'reject': {
      const error = new Error('the line broke')
      stage.rejections.set(child, error)
      await control('reject', () => subject.reject!(error, child))
      return
    }
    case 'ask':
      await control('ask', () => void stage.questions.push(subject.ask!(child)))
      return
    case 'answer':
      await control('ask', () => stage.questions.at(-1)!.answer())
      return
    case 'free the slot':
      stage.blocker!.cancel()
      await until(() => stateOf(stage, child) !== 'validating.queued', stage.patienceMs)
      return
    case 'abort the signal':
      caller.abort()
      return
    case 'cancel':
      run!.cancel('enough')
      return
    case 'dispose':
      stage.dispose(child)
      return
    case 'close the service':
      void stage.service.close()
      return
    case 'let time pass':
      clock.advance(act.ms)
      return
    case 'send a message':
      run!.sendMessage!(act.text)
      return
    case 'resume':
      stage.begin(1, () => run!.resume!(act.text))
      checkResumed(stage)
      return
    case 'dispose the child again':
      await disposeAgain(stage, child)
      return
    case 'see':
      await see(stage, act, child)
      return
    case 'wait':
  }
}

function checkResumed({ runs: [, resumed], watch: { children } }: Stage): void {
  const seen = resumed?.thrown
    ? `it threw ${describeThrown(resumed.thrown.error)}`
    : children[1]?.run === children[0]?.run
      ? 'the run that has settled'
      : undefined
  if (seen !== undefined)
    throw new Found(
      {
        expected: 'resume() to give a new run of the same child',
        seen,
        look: 'resume() of the run that start() gives: it begins another run with the context that it is handed, or is left out',
      },
      resumed?.thrown?.error,
    )
}

/** Controls are the author's: what one throws is told as its own fault. */
async function control<T>(name: ControlName | 'settle', call: () => T): Promise<Awaited<T>> {
  try {
    return await call()
  } catch (error) {
    throw new Found(
      {
        expected: `control ${name} of the subject to do its work`,
        seen: `it threw ${describeThrown(error)}`,
        look: `${name}() of what makeProvider returns`,
      },
      error,
    )
  }
}

function denied({ subject }: Stage, child: number | undefined): { toolFilter?: { deny: string[] } } {
  const first = child === undefined ? undefined : subject.sees?.tools?.(child)?.[0]
  return first === undefined ? {} : { toolFilter: { deny: [first] } }
}

async function disposeAgain({ watch, patienceMs }: Stage, child: number): Promise<void> {
  const watched = watch.children[child]
  if (!watched) return
  const look = 'dispose() of the run that start() gives: called again it should give the promise of the first call, or one that resolves'
  let state = 'it is pending'
  try {
    const again: unknown = watched.run.dispose()
    void Promise.resolve(again).then(
      () => (state = 'done'),
      (error: unknown) => (state = `it rejected with ${describeThrown(error)}`),
    )
  } catch (error) {
    state = `it threw ${describeThrown(error)}`
  }
  await until(() => state !== 'it is pending', patienceMs)
  if (state !== 'done') throw new Found({ expected: 'a second dispose() to resolve', seen: state, look })
}

/** @param atOnce the state when the call had returned */
async function expectState(stage: Stage, act: ProviderAct, expected: string, atOnce: string | undefined): Promise<void> {
  const { when = 'soon', child = 0 } = act
  const holds = (): boolean => stateOf(stage, child) === expected
  if (when === 'at once' && atOnce === expected) return
  if (when === 'soon' && (await until(holds, stage.patienceMs))) return
  if (when === 'still' && holds()) await turns()
  if (when === 'still' && holds()) return
  const thrown = stage.runs[child]?.thrown
  const state = when === 'at once' ? atOnce : stateOf(stage, child)
  const seen = thrown
    ? `service.start() threw ${describeThrown(thrown.error)}`
    : state === undefined
      ? 'no run'
      : `state ${state}${when === 'soon' ? ', and nothing moves' : ''}`
  const which = stage.runs.length > 1 ? ` of child ${child}` : ''
  throw new Found(
    { expected: `state ${expected}${which}${when === 'soon' ? '' : ` ${when}`}`, seen, look: lookAfter(stage, act, child) },
    thrown?.error,
  )
}

function label(act: ProviderAct): string {
  const which = act.child === undefined || act.child === 0 ? '' : ` (child ${act.child})`
  if (act.do === 'arrange') return act.control
  if (act.do === 'start') return `start${requestText(act.request)}${act.abortInside ? ', in which the signal aborts' : ''}${which}`
  if (act.do === 'see') return `look at its ${act.what}${which}`
  if (act.do === 'let time pass') return `${act.ms} ms later`
  return act.do + which
}

const requestText = (request: { readonly [field: string]: Json } | undefined): string =>
  request ? ` with ${Object.keys(request).join(', ')}` : ''
