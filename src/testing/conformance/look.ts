/** What to look at where a run is not in the state that an act should have brought it to. */
import type { ProviderAct } from './case.ts'
import type { Stage } from './stage.ts'

export function lookAfter(stage: Stage, act: ProviderAct, child: number): string {
  const { watch, subject, arranged, runs } = stage
  const watched = watch.children[child]
  if (runs[child]?.thrown)
    return 'start() of the provider: it returns { result: Promise, cancel(), dispose() } at once; what is known only later settles result'
  const disposed = watched !== undefined && watched.disposals > 0
  switch (act.do) {
    case 'ready':
      return watch.provider.signalsReady
        ? subject.ready
          ? `control ready: it has to make the child call context.ready(), which was ${called(watched?.readies ?? 0)}`
          : 'context.ready(): the provider declares signalsReady, so the run waits for it; the subject has no control ready, so the child has to call it by itself'
        : 'why the run has ended already: the child has to wait for settle() of the subject'
    case 'start':
      return 'control ready, or signalsReady of the provider: the run was ready before the subject said so, or did not start'
    case 'settle':
    case 'structure':
    case 'fail':
    case 'reject':
      return watched && watched.settlements > 0
        ? 'when the child settled: it was not at this control'
        : `control ${act.do}, then the promise result of the run: it is still pending, so either the control does not reach the child or the child does not settle`
    case 'ask':
      return 'control ask: it has to make the child call context.ask(request) while it runs'
    case 'answer':
      return 'answer() of what control ask returned: it has to call answer() of what context.ask() gave'
    case 'cancel':
    case 'abort the signal':
    case 'let time pass':
    case 'wait':
      if (act.when === 'still' && act.state === 'settling.draining')
        return 'control ignoreCancel: the child has settled on the cancel all the same'
      if (act.when === 'still' && act.state === 'settling.releasing') return 'control holdRelease: the release has ended all the same'
      if (act.when === 'still') return 'what the children of the provider share: this one was left alone and yet went on'
      if (act.state === 'settling.held' && arranged.has('ignoreCancel')) return 'when the child settled: it should have been deaf'
      if (act.state === 'settling.held')
        return `cancel(), and who listens to context.signal: a child that is cancelled settles result by itself; cancel() was ${called(watched?.cancels.length ?? 0)}${runs.length > 1 ? '; or what the children of the provider share' : ''}`
      if (act.edge === 'release-failed') return 'control failRelease: it has to make the promise of dispose() reject'
      if (act.state === 'disposed')
        return `dispose() of the run that start() gave: it was ${called(watched?.disposals ?? 0)}${disposed ? ', and its promise has not resolved' : ', since the child has not settled on the cancel before it'}`
      return 'what moved the run, or kept it from moving'
    case 'dispose':
      return arranged.has('holdRelease')
        ? 'control holdRelease: the release has ended all the same'
        : 'when the child settled: the run was not in the state that it is disposed from'
    case 'close the service':
      return 'cancel() and dispose() of the run: both are called when the service closes'
    default:
      return 'what moved the run, or kept it from moving'
  }
}

const called = (count: number): string => (count === 0 ? 'never called' : count === 1 ? 'called once' : `called ${count} times`)
