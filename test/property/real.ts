/**
 * The engine's side: a real service on a simulated clock, told the same actions as the model, by its public face (K5).
 */
import { getEventListeners } from 'node:events'
import { createActor, fromCallback } from 'xstate'
import type { AnyActorRef } from 'xstate'
import { rootAgent, SubagentError } from '../../src/index.ts'
import type {
  ParentAgent,
  ProviderRun,
  ProviderStartRequest,
  RunContext,
  SubagentLifecycleEvent,
  SubagentProvider,
  SubagentResult,
  SubagentRun,
} from '../../src/index.ts'
import { engineOf } from '../../src/registry/engine.ts'
import { deferred } from '../../src/run/deferred.ts'
import { createSubagentService } from '../../src/service.ts'
import { createSimulatedClock } from '../../src/testing/simulated-clock.ts'
import { providerNames } from './actions.ts'
import type { AnswerKind, Limits, Manners, Plan, Script } from './actions.ts'
import { Invariants } from './invariants.ts'
import type { Model } from './model.ts'

export class RealChild {
  readonly result = deferred<SubagentResult>()
  readonly release = deferred<void>()
  readonly asks: { answer(): void }[] = []
  readonly context: RunContext
  readonly signal: AbortSignal | undefined
  actor: AnyActorRef | undefined
  cancels = 0
  disposals = 0

  constructor(context: RunContext, signal: AbortSignal | undefined) {
    this.context = context
    this.signal = signal
  }

  answer(kind: AnswerKind): void {
    const { resolve, reject } = this.result
    if (kind === 'rejected') reject(new Error('the line broke'))
    else if (kind === 'garbage') resolve({ output: 'none' } as never)
    else if (kind === 'error')
      resolve({
        output: [],
        stopReason: 'error',
        failure: { code: 'MODEL_ERROR', phase: 'running', retryable: true, message: 'overloaded' },
      })
    else resolve({ output: kind === 'text' ? [{ type: 'text', text: 'answer' }] : [], stopReason: 'completed' })
  }
}

export interface RealRun {
  handle: SubagentRun | undefined
  /** What `result` came to, as a line. */
  result: string | undefined
  disposal: 'none' | 'waiting' | 'resolved' | 'failed' | 'RELEASE_TIMEOUT'
  disposed: Promise<void> | undefined
  /** `seq` of the updates that its reader got, and whether the reading ended. */
  readonly read: number[]
  readEnded: boolean
}

/** A parent that is an actor, as far as the engine looks at it. */
class ParentActor implements ParentAgent {
  readonly #root = rootAgent()
  readonly id = 'parent'
  readonly options = this.#root.options
  readonly session = this.#root.session
  readonly observers = new Set<{ complete(): void }>()
  readonly ref = {
    subscribe: (observer: { complete(): void }) => {
      this.observers.add(observer)
      return { unsubscribe: () => void this.observers.delete(observer) }
    },
  }

  stop(): void {
    const observers = [...this.observers]
    this.observers.clear()
    for (const observer of observers) observer.complete()
  }
}

export class Real {
  readonly clock = createSimulatedClock()
  readonly invariants: Invariants
  readonly service
  readonly engine
  readonly runs: RealRun[] = []
  readonly children = new Map<number, RealChild>()
  readonly logs: string[][] = []
  readonly outcomes: string[] = []
  readonly faults: string[] = []
  readonly signals = [new AbortController(), new AbortController()]
  parentActor = new ParentActor()
  closed = false
  readonly #model: Model
  readonly #subscriptions: { unsubscribe(): void }[] = []
  readonly #disposers: (() => void)[] = []
  #registrations = 0
  #closing: Promise<void> | undefined

  constructor(model: Model, limits: Limits) {
    this.#model = model
    this.invariants = new Invariants(limits)
    this.service = createSubagentService({ clock: this.clock, logger: { debug: () => {}, warn: () => {}, error: () => {} }, ...limits })
    this.engine = engineOf(this.service.ref)
    // Before every other listener: what those do inside an event comes after it.
    for (const type of ['subagent/start', 'subagent/update', 'subagent/end'] as const)
      this.service.on(type, (event) => this.invariants.hear(event))
  }

  perform({ action, run: index, parent }: Plan): void {
    const run = this.runs[index]
    const child = this.children.get(index)
    const { ref } = this.service
    switch (action.do) {
      case 'start':
        return this.#start(action, index, parent)
      case 'cancel':
        return action.byEvent ? this.#send({ type: 'run.cancel', runId: this.#model.runs[index]!.id }) : run!.handle!.cancel()
      case 'dispose':
        return action.byEvent ? this.#send({ type: 'run.dispose', runId: this.#model.runs[index]!.id }) : this.#dispose(run!)
      case 'answer':
        return child!.answer(action.with)
      case 'ready':
        return child!.context.ready()
      case 'text':
        return child!.context.update({ type: 'text', text: 'a' })
      case 'ask':
        return void child!.asks.push(child!.context.ask({ id: 'ask', title: 'May I?', options: [] }))
      case 'permit':
        return child!.asks.shift()!.answer()
      case 'release':
        if (child!.disposals === 0 || this.#model.runs[index]!.script.release !== 'by hand') return
        return action.fails ? child!.release.reject(new Error('still held')) : child!.release.resolve()
      case 'advance':
        return this.clock.advance(action.ms)
      case 'abort': {
        const controller = this.signals[action.signal]!
        this.signals[action.signal] = new AbortController()
        return controller.abort()
      }
      case 'stop parent': {
        const actor = this.parentActor
        this.parentActor = new ParentActor()
        return actor.stop()
      }
      case 'register':
        return this.#register(action.provider)
      case 'unregister':
        return this.#send({ type: 'provider.unregister', name: providerNames[action.provider]! })
      case 'undo':
        return this.#disposers[index]?.()
      case 'listen': {
        const listener = this.logs.length
        const log: string[] = []
        this.logs.push(log)
        this.#subscriptions.push(this.service.on(action.type, (event) => this.#hear(listener, log, event, action.manners)))
        return
      }
      case 'unlisten':
        return this.#subscriptions[index]!.unsubscribe()
      case 'close':
        if (action.byEvent) return this.#send({ type: 'close' })
        if (this.#closing && this.#closing !== this.service.close()) this.faults.push('close() is not memoised')
        this.#closing = this.service.close()
        void this.#closing.then(() => (this.closed = true))
        return void ref
    }
  }

  #send(event: Parameters<typeof this.service.ref.send>[0]): void {
    if (this.service.ref.getSnapshot().status === 'active') this.service.ref.send(event)
  }

  #hear(listener: number, log: string[], event: SubagentLifecycleEvent, manners: Manners): unknown {
    log.push(lineOf(event))
    if (this.#model.events.listeners[listener]!.first && log.length === 1) this.#actInside(`listener ${listener}`)
    if (manners === 'throws') throw new Error('a bad day')
    if (manners === 'odd') throw unspeakable
    return manners === 'rejects' ? Promise.reject(new Error('a bad day')) : undefined
  }

  readonly #acted = new Set<string>()

  #actInside(place: string): void {
    if (this.#acted.has(place)) return
    this.#acted.add(place)
    if (!this.#model.plans.has(place)) this.faults.push(`${place} acts, which it should not yet`)
    const plan = this.#model.plans.get(place)
    if (plan) this.perform(plan)
  }

  #register(kind: number): void {
    const registration = this.#registrations
    try {
      // Counted before its listeners act, as the model does.
      if (this.engine.isOpen && !this.service.getProvider(providerNames[kind]!)) this.#registrations++
      this.#disposers[registration] = this.service.registerProvider(this.#provider(kind))
      this.outcomes.push('registered')
    } catch (error) {
      this.outcomes.push(SubagentError.is(error) ? error.code : 'refused')
    }
  }

  #provider(kind: number): SubagentProvider {
    return {
      name: providerNames[kind]!,
      capabilities: { outputSchema: true, depthLimit: true, toolFilter: true },
      signalsReady: kind === 1,
      start: (request, context) => this.#startChild(kind, request, context),
    }
  }

  #startChild(kind: number, { label }: ProviderStartRequest, context: RunContext): ProviderRun {
    const index = Number(label)
    const script: Script = this.#model.runs[index]!.script
    const child = new RealChild(context, index % 3 === 0 ? context.signal : undefined)
    this.children.set(index, child)
    this.invariants.starting(index, context.runId, providerNames[kind]!, this.engine.records.get(context.runId)?.parentRunId !== undefined)
    if (script.actor)
      child.actor = createActor(
        fromCallback(() => {}),
        { parent: context.self } as never,
      ).start()
    for (let step = 0; step < script.onStart.length; step++) this.#actInside(`run ${index} start ${step}`)
    if (script.startThrows) {
      this.invariants.startThrew(context.runId)
      throw new Error('cannot start')
    }
    return {
      id: `a${index}`,
      result: child.result.promise,
      cancel: () => {
        child.cancels++
        if (script.onCancel) this.#actInside(`run ${index} cancel`)
        if (!script.deaf) child.result.resolve({ output: [], stopReason: 'aborted' })
        if (script.cancelThrows) throw new Error('no brakes')
      },
      dispose: () => {
        child.disposals++
        if (script.onDispose && this.#model.plans.has(`run ${index} dispose`)) this.#actInside(`run ${index} dispose`)
        if (script.release === 'throws') throw new Error('still held')
        if (script.release === 'at once') child.release.resolve()
        if (script.release === 'fails') child.release.reject(new Error('still held'))
        return child.release.promise
      },
    }
  }

  #start(action: Extract<Plan['action'], { do: 'start' }>, duplicate: number, parentIndex: number): void {
    const index = this.runs.length
    const run: RealRun = { handle: undefined, result: undefined, disposal: 'none', disposed: undefined, read: [], readEnded: false }
    this.runs.push(run)
    const { timeoutMs, signal } = action
    let parent: ParentAgent = action.from === 'actor' ? this.parentActor : root
    if (parentIndex >= 0) {
      const { depth } = this.children.get(parentIndex)!.context.resolved
      parent = rootAgent({ id: parentIndex % 2 === 0 ? `a${parentIndex}` : this.#model.runs[parentIndex]!.id, depth })
    }
    try {
      run.handle = this.service.start(providerNames[action.provider]!, {
        prompt: 'go',
        parent,
        id: duplicate >= 0 ? this.#model.runs[duplicate]!.id : `r${index}`,
        label: String(index),
        cancelGraceMs: action.graceMs,
        releaseGraceMs: action.releaseMs,
        ...(timeoutMs !== undefined && { timeoutMs }),
        ...(signal !== undefined && { signal: signal === 'aborted' ? AbortSignal.abort() : this.signals[signal]!.signal }),
      })
    } catch (error) {
      this.outcomes.push(`r${index} ${SubagentError.is(error) ? error.code : 'threw'}`)
      return
    }
    this.outcomes.push(`r${index} started`)
    this.#watch(run, run.handle)
  }

  #watch(run: RealRun, handle: SubagentRun): void {
    const reacts = (result: Parameters<typeof resultLine>[0]): void => {
      run.result = resultLine(result)
      this.invariants.reacted(handle.runId, typeof result === 'string')
    }
    handle.result.then(
      ({ stopReason, output, failure }) => reacts({ stopReason, text: textOf(output), failure: failure?.code }),
      (error: Error) => reacts(SubagentError.is(error) ? error.code : error.message),
    )
    void (async () => {
      for await (const { seq } of handle.updates) run.read.push(seq)
      run.readEnded = true
    })()
  }

  #dispose(run: RealRun): void {
    const promise = run.handle!.dispose()
    if (run.disposed) {
      if (run.disposed !== promise) this.faults.push('dispose() is not memoised')
      return
    }
    run.disposed = promise
    run.disposal = 'waiting'
    promise.then(
      () => (run.disposal = 'resolved'),
      (error: unknown) => (run.disposal = SubagentError.is(error, 'RELEASE_TIMEOUT') ? 'RELEASE_TIMEOUT' : 'failed'),
    )
  }

  /** Listeners on the signals that can still abort. */
  get signalListeners(): number[] {
    return this.signals.map(({ signal }) => getEventListeners(signal, 'abort').length)
  }
}

const root = rootAgent()

const unspeakable = {
  toString: () => {
    throw new Error('not even that')
  },
}

function lineOf(event: SubagentLifecycleEvent): string {
  if (event.type === 'subagent/provider-added') return `added ${event.name}`
  if (event.type === 'subagent/provider-removed') return `removed ${event.name}`
  if (event.type === 'subagent/start') return `start ${event.runId}${event.parentRunId === undefined ? '' : ` below ${event.parentRunId}`}`
  if (event.type === 'subagent/update') {
    const { update } = event
    return `update ${event.runId} ${update.seq} ${update.type}${update.type === 'text' ? ` ${update.text}` : ''}`
  }
  const { runId, stopReason, lastAssistantMessage, failure, durationMs } = event
  return `end ${runId} ${stopReason} ${lastAssistantMessage ? JSON.stringify(textOf(lastAssistantMessage)) : 'nothing'} ${failure && stopReason !== 'completed' ? failure.code : ''} ${durationMs} ms`
}

/** A result, or what it was rejected with, in a line. */
export function resultLine(
  result: { readonly stopReason: string; readonly text: string; readonly failure: string | undefined } | string,
): string {
  if (typeof result === 'string') return `rejected: ${result}`
  return `${result.stopReason} ${JSON.stringify(result.text)} ${result.failure ?? ''}`
}

function textOf(blocks: SubagentResult['output'] | readonly SubagentResult['output'][number][]): string {
  return blocks.map((block) => (block.type === 'text' ? block.text : block.type)).join('|')
}
