/**
 * Where a case is played: a service on a simulated clock with the provider under test, and everything noted that a check
 * may ask for. Only the public face is used.
 */
import type { AnyActorRef, InspectionEvent } from 'xstate'
import { rootAgent } from '../../index.ts'
import type { createSubagentService, SubagentService } from '../../index.ts'
import type { SubagentLifecycleEvent, SubagentProvider, SubagentResult, SubagentRun, SubagentStartRequest } from '../../types.ts'
import { stateName } from '../paths/state-name.ts'
import { scriptedProvider } from '../scripted-provider.ts'
import { createSimulatedClock } from '../simulated-clock.ts'
import type { SimulatedClock } from '../simulated-clock.ts'
import { caseTimes } from './case.ts'
import type { ProviderCase } from './case.ts'
import { Found } from './failure.ts'
import { countedController } from './signal.ts'
import type { CountedController } from './signal.ts'
import type { MakeProvider, ProviderSubject } from './subject.ts'
import { watchProvider } from './watch.ts'
import type { Watch } from './watch.ts'

export type CreateService = typeof createSubagentService

/** One start and what came of it. */
export interface StagedRun {
  readonly runId: string
  run: SubagentRun | undefined
  thrown: { readonly error: unknown } | undefined
  settled: { readonly result: SubagentResult } | { readonly error: unknown } | undefined
  disposal: 'none' | 'open' | 'resolves' | 'rejects'
}

export interface Stage {
  readonly subject: ProviderSubject
  readonly watch: Watch
  readonly service: SubagentService
  readonly clock: SimulatedClock
  readonly caller: CountedController
  readonly runs: StagedRun[]
  readonly events: SubagentLifecycleEvent[]
  readonly logged: readonly string[]
  readonly patienceMs: number
  /** The run that holds the one slot there is. */
  readonly blocker: SubagentRun | undefined
  /** Actors that were seen to start, but for the registry and the runs of the stage itself. */
  readonly actors: ReadonlySet<AnyActorRef>
  /** What lets go of releases that are held, and the questions that are open. */
  readonly held: (() => unknown)[]
  readonly questions: { answer(): unknown }[]
  /** Controls that were arranged. */
  readonly arranged: Set<string>
  /** The errors that controls were given, by child. */
  readonly rejections: Map<number, Error>
  /** What was done so far, in words. */
  readonly done: string[]
  /** Notes what becomes of the run that `begin` starts. */
  begin(child: number, begin: () => SubagentRun): void
  start(child: number, request: Partial<SubagentStartRequest>): void
  dispose(child: number): void
}

export interface StageOptions {
  readonly patienceMs: number
  readonly createService: CreateService
}

/** @throws Found where the subject is none, or the provider cannot be registered */
export async function setStage(
  makeProvider: MakeProvider,
  { act }: Pick<ProviderCase, 'act'>,
  { patienceMs, createService }: StageOptions,
): Promise<Stage> {
  const clock = createSimulatedClock()
  const logged: string[] = []
  const log = (message: string): void => void logged.push(message)
  const logger = { debug: () => {}, warn: log, error: log }
  const subject = checkSubject(await makeProvider({ clock, logger }))
  const watch = watchProvider(subject.provider)
  const actors = new Set<AnyActorRef>()
  const waits = act.some((each) => each.do === 'start' && each.waits === true)
  const inspect = (event: InspectionEvent): void => {
    if (event.type === '@xstate.actor' && (event.actorRef as AnyActorRef).id !== blockerId) actors.add(event.actorRef as AnyActorRef)
  }
  const service = createService({ clock, logger, inspect, ...(waits && { maxConcurrentRuns: 1 }) })
  actors.delete(service.ref)
  register(service, watch.provider)

  const blocking: SubagentProvider = scriptedProvider([{ hang: true }], { name: `${watch.provider.name} waits for this` })
  if (waits) service.registerProvider(blocking)
  const parent = rootAgent()
  const blocker = waits ? service.start(blocking.name, { parent, prompt: 'Hold the slot.', id: blockerId }) : undefined

  const caller = countedController()
  const runs: StagedRun[] = []
  const events: SubagentLifecycleEvent[] = []
  service.on('*', (event) => void events.push(event))

  const begin = (child: number, start: () => SubagentRun): void => {
    const staged: StagedRun = { runId: `run-${child}`, run: undefined, thrown: undefined, settled: undefined, disposal: 'none' }
    runs[child] = staged
    try {
      staged.run = start()
    } catch (error) {
      staged.thrown = { error }
      return
    }
    staged.run.result.then(
      (result) => (staged.settled = { result }),
      (error: unknown) => (staged.settled = { error }),
    )
  }
  return {
    subject,
    watch,
    service,
    clock,
    caller,
    runs,
    events,
    logged,
    patienceMs,
    blocker,
    actors,
    held: [],
    questions: [],
    arranged: new Set(),
    rejections: new Map(),
    done: [],
    begin,
    start: (child, request) =>
      begin(child, () => {
        const own = subject.request?.(child)
        return service.start(watch.provider.name, {
          parent,
          prompt: 'Do it.',
          signal: caller.signal,
          ...caseTimes,
          ...own,
          ...request,
          id: `run-${child}`,
        })
      }),
    dispose: (child) => {
      const staged = runs[child]!
      staged.disposal = 'open'
      staged.run!.dispose().then(
        () => (staged.disposal = 'resolves'),
        () => (staged.disposal = 'rejects'),
      )
    },
  }
}

const blockerId = 'the run that holds the slot'

/** The state of a run as a name; `undefined` where there is no run. */
export const stateOf = ({ runs }: Stage, child: number): string | undefined => {
  const value = runs[child]?.run?.ref.getSnapshot().value
  return value === undefined ? undefined : stateName(value)
}

function checkSubject(subject: ProviderSubject): ProviderSubject {
  const expected = 'makeProvider to give { provider, settle, … }'
  const look = 'what makeProvider returns: a subject has the provider, and settle(text, child), which makes a child complete with that text'
  if (typeof subject !== 'object' || subject === null) throw new Found({ expected, seen: String(subject), look })
  if (typeof subject.provider !== 'object' || subject.provider === null) throw new Found({ expected, seen: 'no provider', look })
  if (typeof subject.settle !== 'function') throw new Found({ expected, seen: 'no settle()', look })
  return subject
}

function register(service: SubagentService, provider: SubagentProvider): void {
  try {
    service.registerProvider(provider)
  } catch (error) {
    throw new Found(
      { expected: 'a provider that can be registered', seen: String(error), look: 'the fields of the provider: name, capabilities, start' },
      error,
    )
  }
}
