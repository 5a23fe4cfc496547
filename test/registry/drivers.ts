/**
 * The entrances to a registry, driven alike: the service's methods, events from a machine that invokes the registry, and
 * events to a registry that is the root of its own system. What a requirement promises of one it promises of all (S23).
 */
import { createActor, fromCallback, sendTo, setup } from 'xstate'
import { createSubagentService, subagentRegistry, subagentService } from '../../src/index.ts'
import type {
  Logger,
  RegistryActorRef,
  RegistryEvent,
  RegistryInput,
  RegistryReply,
  SubagentLifecycleEvent,
  SubagentProvider,
  SubagentResult,
  SubagentRun,
  SubagentService,
  SubagentStartRequest,
} from '../../src/index.ts'
import { deferred } from '../../src/run/deferred.ts'
import type { Deferred } from '../../src/run/deferred.ts'
import { createSimulatedClock } from '../../src/testing/simulated-clock.ts'
import type { SimulatedClock } from '../../src/testing/simulated-clock.ts'

export interface Started {
  readonly runId: string
  readonly id: string
  readonly result: Promise<SubagentResult>
}

export interface Driver {
  /** The plain face of the same registry, for what has no event: listeners, look-ups. */
  readonly service: SubagentService
  readonly clock: SimulatedClock
  readonly warnings: string[]
  /** Everything that a caller can see, in order: lifecycle events as short lines. */
  readonly seen: string[]
  /** Throws what the entrance answers in place of a registration; by event that is the text of a warning. */
  register(provider: SubagentProvider): void
  unregister(name: string): void
  /** Throws what refused it. */
  start(provider: string, request: SubagentStartRequest): Started
  cancel(runId: string, reason?: string): void
  dispose(runId: string): void
  close(runs?: 'cancel' | 'detach'): Promise<void>
  /** Stops the actor, or the system it lives in. */
  stop(): void
}

export function collectLogger(): Logger & { readonly warnings: string[] } {
  const warnings: string[] = []
  return { warnings, debug: () => {}, warn: (message) => void warnings.push(message), error: (message) => void warnings.push(message) }
}

/** One line an event: what it is, of which run, and what it carries. */
export function line(event: SubagentLifecycleEvent): string {
  if (event.type === 'subagent/provider-added' || event.type === 'subagent/provider-removed') return `${event.type} ${event.name}`
  const { type, provider, runId } = event
  const of = `${type} ${provider} ${runId}`
  if (event.type === 'subagent/update') return `${of} ${event.update.type}`
  if (event.type === 'subagent/end') return `${of} ${event.stopReason}`
  return of
}

interface Setup {
  readonly input: RegistryInput
  readonly clock: SimulatedClock
  readonly warnings: string[]
  readonly seen: string[]
}

function prepare(input: RegistryInput): Setup {
  const clock = createSimulatedClock()
  const logger = collectLogger()
  let made = 0
  return { clock, warnings: logger.warnings, seen: [], input: { clock, logger, createId: () => `run-${++made}`, ...input } }
}

function byService(options: RegistryInput): Driver {
  const { input, ...rest } = prepare(options)
  const { providers = [], ...withoutProviders } = input
  const service = createSubagentService(withoutProviders)
  service.on('*', (event) => void rest.seen.push(line(event)))
  const disposers = new Map<string, () => void>()
  const runs = new Map<string, SubagentRun>()
  const driver: Driver = {
    ...rest,
    service,
    register: (provider) => {
      const dispose = service.registerProvider(provider)
      disposers.set(provider.name, dispose)
    },
    unregister: (name) => disposers.get(name)?.(),
    start: (provider, request) => {
      const run = service.start(provider, request)
      runs.set(run.runId, run)
      return run
    },
    cancel: (runId, reason) => runs.get(runId)!.cancel(reason),
    dispose: (runId) =>
      void runs
        .get(runId)!
        .dispose()
        .catch(() => {}),
    close: (how) => service.close(how && { runs: how }),
    stop: () => stopActor(service.ref),
  }
  for (const provider of providers) driver.register(provider)
  return driver
}

/** An actor in the middle of a system of its own: it sends what it is told to tell, and keeps the answers. */
function byInvokedActor(options: RegistryInput): Driver {
  const { input, ...rest } = prepare(options)
  const { providers = [], ...withoutProviders } = input
  const answers = new Answers()
  const app = setup({
    types: {} as { events: { type: 'tell'; message: RegistryEvent } | RegistryReply },
    actors: { registry: subagentRegistry },
    actions: { keep: ({ event }) => answers.keep(event as RegistryReply) },
  }).createMachine({
    invoke: { src: 'registry', systemId: 'subagents', input: withoutProviders },
    on: {
      tell: {
        actions: sendTo(
          ({ system }) => system.get('subagents'),
          ({ event: { message }, self }) => (message.type === 'run.start' ? { ...message, replyTo: self } : message),
        ),
      },
      'run.started': { actions: 'keep' },
      'run.settled': { actions: 'keep' },
      'run.rejected': { actions: 'keep' },
    },
  })
  const actor = createActor(app).start()
  const ref = actor.system.get('subagents') as RegistryActorRef
  return byEvents({ ...rest, ref, answers, providers, tell: (message) => actor.send({ type: 'tell', message }), stop: () => actor.stop() })
}

function byRootActor(options: RegistryInput): Driver {
  const { input, ...rest } = prepare(options)
  const { providers = [], ...withoutProviders } = input
  const answers = new Answers()
  const asker = createActor(fromCallback(({ receive }) => receive((event) => answers.keep(event as RegistryReply)))).start()
  const ref = createActor(subagentRegistry, { input: withoutProviders }).start()
  const tell = (message: RegistryEvent): void => ref.send(message.type === 'run.start' ? { ...message, replyTo: asker } : message)
  return byEvents({ ...rest, ref, answers, providers, tell, stop: () => ref.stop() })
}

/** What `replyTo` heard, by request. */
class Answers {
  readonly #asked = new Map<
    string,
    { started?: { runId: string; id: string }; readonly outcome: Deferred<SubagentResult>; error?: { readonly error: unknown } }
  >()

  ask(requestId: string): void {
    this.#asked.set(requestId, { outcome: deferred() })
  }

  keep(reply: RegistryReply): void {
    const asked = this.#asked.get(reply.requestId!)!
    if (reply.type === 'run.started') asked.started = { runId: reply.runId, id: reply.id }
    else if (reply.type === 'run.settled') asked.outcome.resolve(reply.result)
    else {
      if (!asked.started) asked.error = { error: reply.error }
      asked.outcome.reject(reply.error)
    }
  }

  /** Throws the refusal. */
  take(requestId: string): Started {
    const { started, outcome, error } = this.#asked.get(requestId)!
    if (error) throw error.error
    if (!started) throw new Error(`${requestId} was not answered`)
    return { ...started, result: outcome.promise }
  }
}

interface ByEvents extends Omit<Setup, 'input'> {
  readonly ref: RegistryActorRef
  readonly answers: Answers
  readonly providers: readonly SubagentProvider[]
  tell(message: RegistryEvent): void
  stop(): void
}

function byEvents({ ref, answers, providers, tell, stop, clock, warnings, seen }: ByEvents): Driver {
  let asked = 0
  ref.on('*', (event) => void seen.push(line(event)))
  const driver: Driver = {
    service: subagentService(ref),
    clock,
    warnings,
    seen,
    register: (provider) => {
      const before = warnings.length
      tell({ type: 'provider.register', provider })
      const refusal = warnings.slice(before).find((warning) => warning.startsWith('The registry could not take provider.register'))
      if (refusal !== undefined) throw new Error(refusal)
    },
    unregister: (name) => tell({ type: 'provider.unregister', name }),
    start: (provider, request) => {
      const requestId = `request-${++asked}`
      answers.ask(requestId)
      tell({ type: 'run.start', requestId, provider, request })
      return answers.take(requestId)
    },
    cancel: (runId, reason) => tell({ type: 'run.cancel', runId, ...(reason !== undefined && { reason }) }),
    dispose: (runId) => tell({ type: 'run.dispose', runId }),
    close: (runs) => {
      const closed = new Promise<void>((complete) => ref.subscribe({ complete }))
      tell({ type: 'close', ...(runs && { runs }) })
      return closed
    },
    stop,
  }
  for (const provider of providers) driver.register(provider)
  return driver
}

/** An actor that was made with `createActor` can be stopped, which the type of a reference does not say. */
export function stopActor(ref: object): void {
  ;(ref as { stop(): void }).stop()
}

export type CreateDriver = (input?: RegistryInput) => Driver

/** For `describe.each`. */
export const entrances: readonly (readonly [string, CreateDriver])[] = [
  ['the service', (input = {}) => byService(input)],
  ['events from a machine that invokes the registry', (input = {}) => byInvokedActor(input)],
  ['events to a registry at the root', (input = {}) => byRootActor(input)],
]
