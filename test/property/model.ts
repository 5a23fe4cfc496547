/**
 * The model: a service as plain data, told the same actions as the engine, and saying what has to be seen of it (K5).
 *
 * It works as the contract says the service does: an event of a run is worked off before the next of that run, what
 * follows from it elsewhere happens depth first; promises are a queue that `turn` works off; time moves by `advance`.
 */
import { providerNames } from './actions.ts'
import type { Action, AnswerKind, Limits, Plan, Who } from './actions.ts'
import { ModelClosing } from './model-closing.ts'
import { ModelEvents } from './model-events.ts'
import { isCause, isUnsettled, newRun, resultOf, stopEvent, target } from './model-run.ts'
import type { Event, ModelRun, TimerName } from './model-run.ts'
import { ModelSlots } from './model-slots.ts'
import { ModelTime } from './model-time.ts'

type StartAction = Extract<Action, { do: 'start' }>

export class Model {
  readonly runs: ModelRun[] = []
  readonly live = new Map<string, ModelRun>()
  readonly events: ModelEvents
  readonly time = new ModelTime()
  /** How starts and registrations ended, in the order of their ends. */
  readonly outcomes: string[] = []
  /** What code that acts inside a callback does, by the place it acts in. */
  readonly plans = new Map<string, Plan | undefined>()
  state: 'open' | 'draining' | 'closed' = 'open'
  /** Two signals, each replaced when it has aborted, and who would hear of them. */
  readonly signals = [0, 1].map(() => ({ runs: new Set<ModelRun>() }))
  /** The parent that is an actor, replaced when it has stopped. */
  parentActors = 0
  parentRuns = new Set<ModelRun>()

  readonly #queue: 'wait' | 'reject'
  readonly #slots: ModelSlots
  readonly #agents = new Map<string, ModelRun>()
  readonly #promises: (() => void)[] = []
  readonly #registryMailbox: (() => void)[] = []
  #registryBusy = false
  #closing: ModelClosing | undefined
  #lettingIn = false

  constructor(limits: Limits) {
    this.#queue = limits.queue ?? 'wait'
    this.#slots = new ModelSlots(limits)
    this.events = new ModelEvents((listener, action) => this.#actInside(`listener ${listener}`, action))
  }

  // ── actions ──────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Settles whom an action means, or undefined where there is nobody. */
  plan(action: Action, self = -1): Plan | undefined {
    if (action.do === 'start') {
      const parent = typeof action.from === 'number' || action.from === 'self' ? this.#pick(action.from, self, (run) => run.reached) : -1
      return { action, run: action.duplicate && this.live.size > 0 ? this.#pick(0, self, () => true) : -1, parent }
    }
    if ('run' in action) {
      const onChild = action.do !== 'cancel' && action.do !== 'dispose'
      const run = this.#pick(action.run, self, onChild ? ({ reached }) => reached : ({ handed }) => handed || action.byEvent === true)
      if (run < 0 || (action.do === 'permit' && !this.runs[run]!.asks.some(({ handed }) => handed))) return undefined
      return { action, run, parent: -1 }
    }
    // The first listener hears all, always.
    if (action.do === 'unlisten')
      return this.events.listeners.length < 2
        ? undefined
        : { action, run: 1 + (action.listener % (this.events.listeners.length - 1)), parent: -1 }
    if (action.do === 'undo')
      return this.events.registrations === 0 ? undefined : { action, run: action.registration % this.events.registrations, parent: -1 }
    return { action, run: -1, parent: -1 }
  }

  #pick(who: Who, self: number, fits: (run: ModelRun) => boolean): number {
    if (who === 'self') return self >= 0 && fits(this.runs[self]!) ? self : -1
    const living = who < 85 ? this.runs.filter((run) => fits(run) && this.live.get(run.id) === run) : []
    const among = living.length > 0 ? living : this.runs.filter(fits)
    return among.length === 0 ? -1 : among[who % among.length]!.index
  }

  /** Code that acts inside a callback: it does so once, at the place named. */
  #actInside(place: string, action: Action | undefined, self = -1): void {
    if (!action || this.plans.has(place)) return
    const plan = this.plan(action, self)
    this.plans.set(place, plan)
    if (plan) this.perform(plan)
  }

  perform({ action, run: index, parent }: Plan): void {
    const run = this.runs[index]
    switch (action.do) {
      case 'start':
        return this.#start(action, index, parent)
      case 'cancel':
        return action.byEvent ? this.#byEvent(() => this.#named(run!, (named) => this.#stop(named))) : this.#stop(run!)
      case 'dispose':
        return action.byEvent ? this.#byEvent(() => this.#named(run!, (named) => this.#dispose(named))) : this.#dispose(run!)
      case 'answer':
        return this.#answer(run!, action.with)
      case 'ready':
        return this.#childReady(run!)
      case 'text':
        return this.#report(run!, 'text a')
      case 'ask':
        return this.#ask(run!)
      case 'permit':
        run!.asks.splice(
          run!.asks.findIndex(({ handed }) => handed),
          1,
        )
        if (run!.asks.length > 0) return
        this.#send(run!, 'answer')
        if (isBeforeReady(run!)) this.time.resume(run!, 'deadline')
        return
      case 'release':
        if (run!.disposals === 0 || run!.releaseEnded || run!.script.release !== 'by hand') return
        run!.releaseEnded = true
        this.#promises.push(() => this.#released(run!, action.fails))
        return
      case 'advance':
        return this.time.advance(action.ms, (due, name) => this.#due(due, name))
      case 'abort':
        return this.#abort(action.signal)
      case 'stop parent': {
        const runs = this.parentRuns
        this.parentRuns = new Set()
        this.parentActors++
        for (const each of runs) {
          if (isUnsettled(each)) this.#stop(each)
          this.#dispose(each)
        }
        return
      }
      case 'register':
        return void this.outcomes.push(this.state === 'open' ? this.events.register(providerNames[action.provider]!) : 'REGISTRY_CLOSED')
      case 'unregister':
        return this.#byEvent(() => this.events.unregister(providerNames[action.provider]!))
      case 'undo':
        return this.events.undo(index)
      case 'listen':
        return this.events.listen(action)
      case 'unlisten':
        this.events.listeners[index]!.listening = false
        return
      case 'close':
        return this.#byEvent(() => this.#close())
    }
  }

  /** Works off what was promised. */
  turn(): void {
    for (;;) {
      const next = this.#promises.shift()
      if (next) next()
      else if (!this.#closing?.goOn()) break
    }
    if (this.#closing?.isDone) this.state = 'closed'
  }

  #byEvent(work: () => void): void {
    if (this.state === 'closed') return
    this.#registryMailbox.push(work)
    if (this.#registryBusy) return
    this.#registryBusy = true
    for (let next = this.#registryMailbox.shift(); next; next = this.#registryMailbox.shift()) next()
    this.#registryBusy = false
  }

  /** An event names a run by its id, whoever has it now. */
  #named({ id }: ModelRun, then: (run: ModelRun) => void): void {
    const run = this.live.get(id)
    if (run) then(run)
  }

  // ── the way in (S8, S12, S21) ────────────────────────────────────────────────────────────────────────────────────

  #start(action: StartAction, duplicate: number, parentIndex: number): void {
    const index = this.runs.length
    const provider = providerNames[action.provider]!
    const id = duplicate >= 0 ? this.runs[duplicate]!.id : `r${index}`
    const asking = this.runs[parentIndex]
    const byAgent = asking && asking.index % 2 === 0
    const parent = asking && (byAgent ? this.#agents.get(asking.agentId) : this.live.get(asking.id))
    const run = newRun({
      index,
      id,
      agentId: `a${index}`,
      provider,
      signalsReady: provider === 'slow',
      script: action.script,
      startedAt: this.time.now,
      timeoutMs: action.timeoutMs,
      graceMs: action.graceMs,
      releaseMs: action.releaseMs,
      parentActor: action.from === 'actor' ? this.parentActors : undefined,
      parent,
    })
    this.runs.push(run)
    const refuse = (code: string): void => {
      run.phase = 'disposed'
      this.outcomes.push(`r${index} ${code}`)
    }
    if (this.state !== 'open') return refuse('REGISTRY_CLOSED')
    if (!this.events.providers.has(provider)) return refuse('NO_PROVIDER')
    if (this.live.has(id)) return refuse('DUPLICATE_RUN')
    const aborted = action.signal === 'aborted'
    const goes = !aborted && this.#slots.take(run)
    if (!goes && !aborted && this.#queue === 'reject') return refuse('CONCURRENCY_LIMIT')
    if (typeof action.signal === 'number') this.signals[action.signal]!.runs.add(run)
    parent?.children.add(run)
    this.live.set(id, run)
    if (run.parentActor !== undefined) this.parentRuns.add(run)
    this.#send(run, aborted ? 'abort' : goes ? 'accept' : 'wait')
    if (goes && action.script.startThrows) return void this.outcomes.push(`r${index} threw`)
    run.handed = true
    this.outcomes.push(`r${index} started`)
  }

  #isLive(run: ModelRun): boolean {
    return this.live.get(run.id) === run
  }

  #giveSlotBack(run: ModelRun): void {
    if (!this.#slots.giveBack(run) || this.#lettingIn) return
    this.#lettingIn = true
    for (let next = this.#next(); next; next = this.#next()) this.#send(next, 'slot')
    this.#lettingIn = false
  }

  #next(): ModelRun | undefined {
    return this.state === 'open' ? this.#slots.next() : undefined
  }

  // ── the run machine (R1–R12) ─────────────────────────────────────────────────────────────────────────────────────

  #send(run: ModelRun, event: Event): void {
    if (run.heldEvents) return void run.heldEvents.push(event)
    if (!this.#isLive(run) || run.phase === 'disposed') return this.#ignored(run, event)
    run.mailbox.push(event)
    if (run.busy) return
    run.busy = true
    for (let next = run.mailbox.shift(); next; next = run.mailbox.shift()) this.#process(run, next)
    run.busy = false
  }

  #ignored(run: ModelRun, event: Event): void {
    if (isCause(event)) run.late++
  }

  #process(run: ModelRun, event: Event): void {
    const from = run.phase
    const to = target(from, event)
    if (to === undefined) return this.#ignored(run, event)
    run.phase = to
    if (to === 'queued') this.#slots.wait(run)
    else if (to === 'starting') {
      if (this.#startChild(run)) this.#announceStart(run)
    } else if (to === 'active') {
      if (from === 'asking') this.time.resume(run, 'deadline')
    } else if (to === 'asking') {
      this.#publish(run)
      this.time.pause(run, 'deadline')
    } else if (to === 'draining') {
      run.stop = { by: event === 'deadline' ? 'deadline' : 'cancel', phase: from === 'starting' ? 'starting' : 'running' }
      this.#cancelChild(run)
      this.time.disarm(run, 'deadline')
      this.time.arm(run, 'grace', run.graceMs)
    } else if (to === 'held') {
      run.end = event === 'abort' ? 'never started' : event === 'give-up' ? 'given up' : 'answered'
      if (event === 'abort') this.#announceStart(run)
      this.#settle(run)
      this.#announceEnd(run)
    } else if (to === 'releasing') this.#release(run)
    else this.#forget(run, event === 'start-failed' ? 'none' : event === 'released' ? 'done' : 'failed')
  }

  #startChild(run: ModelRun): boolean {
    run.heldEvents = []
    run.reached = true
    for (const [step, action] of run.script.onStart.entries()) this.#actInside(`run ${run.index} start ${step}`, action, run.index)
    const held = run.heldEvents
    run.heldEvents = undefined
    if (run.script.startThrows) {
      this.#send(run, 'start-failed')
      return false
    }
    run.child = true
    this.#agents.set(run.agentId, run)
    run.watched = true
    if (run.answered) this.#promises.push(() => this.#arrived(run))
    if (run.timeoutMs !== undefined) this.time.arm(run, 'deadline', run.timeoutMs)
    // One that was asked already stops the clock before it has begun to run.
    if (run.asks.length > 0) this.time.pause(run, 'deadline')
    for (const event of held) this.#send(run, event)
    if (!run.signalsReady) this.#becomesReady(run)
    return true
  }

  #childReady(run: ModelRun): void {
    if (!run.signalsReady || run.signalledReady) return
    run.signalledReady = true
    this.#report(run, 'ready')
    this.#becomesReady(run)
  }

  #becomesReady(run: ModelRun): void {
    this.#send(run, 'ready')
    // A question that came before is waited for now.
    if (run.asks.length > 0) this.#send(run, 'ask')
  }

  #answer(run: ModelRun, answer: AnswerKind | 'cancelled'): void {
    if (run.answered) return
    run.answered = answer
    if (run.watched) this.#promises.push(() => this.#arrived(run))
  }

  #arrived(run: ModelRun): void {
    if (isUnsettled(run)) run.answer = run.answered
    const event = run.answered === 'garbage' || run.answered === 'rejected' ? 'reject' : 'settle'
    this.#afterChildren(run, () => this.#send(run, event))
  }

  /** Calls back when all runs below have had their end, also those that come meanwhile. */
  #afterChildren(run: ModelRun, then: () => void): void {
    const open = [...run.children].filter(isUnsettled)
    if (open.length === 0) return then()
    let left = open.length
    for (const child of open) {
      child.onEnd.push(() => {
        if (--left === 0) this.#promises.push(() => this.#afterChildren(run, then))
      })
      if (!child.stopping) this.#stop(child)
    }
  }

  #stop(run: ModelRun): void {
    const event = this.#isLive(run) ? stopEvent(run.phase) : undefined
    if (event) {
      run.stopping = true
      this.#send(run, event)
    } else run.late++
  }

  #cancelChild(run: ModelRun): void {
    for (const child of allBelow(run, ({ stopping, result }) => stopping || result !== undefined)) this.#stop(child)
    run.signalled = true
    if (!run.child) return
    run.cancels++
    this.#actInside(`run ${run.index} cancel`, run.script.onCancel, run.index)
    if (!run.script.deaf) this.#answer(run, 'cancelled')
  }

  #settle(run: ModelRun): void {
    const givenUp = new Set<ModelRun>()
    for (let open = allBelow(run); open.length > 0; open = allBelow(run, (child) => givenUp.has(child) || !isUnsettled(child)))
      for (const child of open) {
        givenUp.add(child)
        if (!isUnsettled(child)) continue
        if (!child.stopping) this.#stop(child)
        child.unasked = true
        this.#send(child, 'give-up')
      }
    this.time.disarmAll(run)
    this.#unlinkSignal(run)
    run.result = resultOf(run)
  }

  #announceStart(run: ModelRun): void {
    this.events.announce(run, `start ${run.id}${run.parent ? ` below ${run.parent.id}` : ''}`)
    run.open = true
    for (let next = run.heldUpdates.shift(); next !== undefined; next = run.heldUpdates.shift()) this.events.announce(run, next)
  }

  #announceEnd(run: ModelRun): void {
    const { stopReason, rejected, text, failure = '' } = run.result!
    this.events.announce(
      run,
      `end ${run.id} ${stopReason} ${rejected === undefined ? JSON.stringify(text) : 'nothing'} ${failure} ${this.time.now - run.startedAt} ms`,
    )
    this.#giveSlotBack(run)
    this.#ended(run)
    if (run.disposal !== 'none') this.#send(run, 'dispose')
  }

  #ended(run: ModelRun): void {
    const callbacks = run.onEnd
    run.onEnd = []
    for (const callback of callbacks) callback()
  }

  #dispose(run: ModelRun): void {
    if (run.disposal !== 'none') return
    if (!this.#isLive(run)) {
      run.disposal = 'resolved'
      return
    }
    run.disposal = 'waiting'
    const event = stopEvent(run.phase)
    if (event) {
      run.stopping = true
      this.#send(run, event)
    }
    this.#send(run, 'dispose')
  }

  #release(run: ModelRun): void {
    for (const child of allBelow(run, ({ disposal }) => disposal !== 'none')) this.#dispose(child)
    if (!run.child) return this.#send(run, 'released')
    this.time.arm(run, 'release', run.releaseMs)
    run.disposals++
    if (this.state === 'open') this.#actInside(`run ${run.index} dispose`, run.script.onDispose, run.index)
    const { release } = run.script
    if (release === 'throws') this.#released(run, true)
    else if (release !== 'by hand') this.#promises.push(() => this.#released(run, release === 'fails'))
  }

  #released(run: ModelRun, fails: boolean): void {
    if (!this.#isLive(run)) return
    run.releaseFault = fails
    this.#send(run, fails ? 'release-failed' : 'released')
  }

  #forget(run: ModelRun, how: 'done' | 'failed' | 'none'): void {
    this.time.disarmAll(run)
    this.live.delete(run.id)
    run.parent?.children.delete(run)
    if (run.parentActor === this.parentActors) this.parentRuns.delete(run)
    if (this.#agents.get(run.agentId) === run) this.#agents.delete(run.agentId)
    this.#unlinkSignal(run)
    this.#giveSlotBack(run)
    if (how === 'none') {
      run.result = { stopReason: 'error', rejected: 'cannot start', text: '' }
      this.#ended(run)
    }
    if (run.disposal !== 'none') run.disposal = how === 'failed' ? (run.releaseFault ? 'failed' : 'RELEASE_TIMEOUT') : 'resolved'
  }

  // ── reports of a child (R16, A13) ────────────────────────────────────────────────────────────────────────────────

  #report(run: ModelRun, what: string): void {
    if (!isUnsettled(run) || !this.#isLive(run)) {
      run.dropped++
      return
    }
    if (what.startsWith('text')) run.text += what.slice(5)
    const line = `update ${run.id} ${run.updates++} ${what}`
    if (run.open) this.events.announce(run, line)
    else run.heldUpdates.push(line)
  }

  #ask(run: ModelRun): void {
    const ask = { published: false, handed: false }
    run.asks.push(ask)
    if (run.asks.length === 1) {
      this.#send(run, 'ask')
      if (isBeforeReady(run)) this.time.pause(run, 'deadline')
    }
    this.#publish(run, ask)
    ask.handed = true
  }

  #publish(run: ModelRun, ask = run.asks[0]): void {
    if (!ask || ask.published) return
    ask.published = true
    this.#report(run, 'permission')
  }

  // ── signals and time (R8, R9, R11, R15) ──────────────────────────────────────────────────────────────────────────

  #abort(signal: number): void {
    const { runs } = this.signals[signal]!
    this.signals[signal] = { runs: new Set() }
    for (const run of runs) {
      run.signalled = true
      this.#stop(run)
    }
  }

  #unlinkSignal(run: ModelRun): void {
    for (const { runs } of this.signals) runs.delete(run)
  }

  #due(run: ModelRun, name: TimerName): void {
    // A release that falls due was not told to fail: it just did not end.
    this.#send(run, name === 'deadline' ? 'deadline' : name === 'grace' ? 'give-up' : 'release-failed')
  }

  // ── closing (S6) ─────────────────────────────────────────────────────────────────────────────────────────────────

  #close(): void {
    if (this.state !== 'open') return
    this.state = 'draining'
    const closer = {
      isLive: (run: ModelRun) => this.#isLive(run),
      stop: (run: ModelRun) => this.#stop(run),
      dispose: (run: ModelRun) => this.#dispose(run),
    }
    this.#closing = new ModelClosing([...this.live.values()], closer, this.time)
  }
}

/** What is below a run, level by level, the deepest first; not what `skipped` says, nor what is below that. */
function allBelow(run: ModelRun, skipped: (run: ModelRun) => boolean = (each) => !isUnsettled(each)): ModelRun[] {
  const levels: ModelRun[][] = []
  for (let level = [run]; level.length > 0;) {
    level = level.flatMap(({ children }) => [...children].filter((child) => !skipped(child)))
    levels.unshift(level)
  }
  return levels.flat()
}

/** The chart has no place to wait for an answer in before the run is ready; its clock stands still all the same (R9, A13). */
const isBeforeReady = ({ signalsReady, signalledReady }: ModelRun): boolean => signalsReady && !signalledReady
