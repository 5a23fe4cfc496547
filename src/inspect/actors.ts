/**
 * XState's inspection events as entries of a journal. Only the registry and what lives below it is told of; a system may have
 * other actors, whose events are nobody's business here.
 */
import type { AnyActorRef, InspectionEvent } from 'xstate'
import { errorCodes } from '../errors.ts'
import type { RunMachineContext } from '../machines/run.ts'
import { Charts } from './chart.ts'
import type { Cleaner } from './clean.ts'
import type { ActorKind, ActorStatus, EntryDraft, StateValue } from './entries.ts'

/** What is shown of runs' labels: as they are, none, or what a function makes of them. */
export type LabelOption = boolean | ((run: { readonly label: string; readonly isRoot: boolean }) => string | undefined)

export interface Tracked {
  readonly key: string
  readonly kind: ActorKind
  readonly isCharted: boolean
  readonly run: string | undefined
  readonly runId: string | undefined
}

export interface ActorsOptions {
  readonly registry: AnyActorRef
  readonly clean: Cleaner
  readonly labels: LabelOption
  readonly content: boolean
  readonly emit: (entry: EntryDraft) => void
}

type Below = Omit<Extract<EntryDraft, { type: 'actor' }>, 'type' | 'actor' | 'kind' | 'status'>

const labelLimit = 120

export class Actors {
  /** `null` for those that are not the registry's. */
  readonly #tracked = new WeakMap<object, Tracked | null>()
  readonly #runsById = new Map<string, Tracked>()
  readonly #charts: Charts
  readonly #options: ActorsOptions

  constructor(options: ActorsOptions) {
    this.#options = options
    this.#charts = new Charts(options.emit)
    this.#adopt(options.registry)
    this.#adoptLiveRuns()
  }

  /** The live run of that id. */
  runById(runId: string): Tracked | undefined {
    return this.#runsById.get(runId)
  }

  labelOf(label: string | undefined, isRoot: boolean): { label?: string } {
    const { labels, clean } = this.#options
    if (label === undefined || labels === false) return {}
    const shown = labels === true ? label : labels({ label, isRoot })
    return typeof shown === 'string' ? { label: clean.text(shown, labelLimit) } : {}
  }

  observe(event: InspectionEvent): void {
    const { type } = event
    // An actor has no snapshot yet when it is made; it is taken up with its first event.
    if (type !== '@xstate.event' && type !== '@xstate.snapshot') return
    const ref = event.actorRef as AnyActorRef
    let tracked = this.#tracked.get(ref)
    if (tracked === undefined) tracked = this.#adopt(ref)
    if (!tracked) return
    const { type: name } = event.event
    // Its first state was told with it.
    if (name === 'xstate.init') return
    if (type === '@xstate.event') this.#event(tracked, event.event, event.sourceRef)
    else this.#snapshot(tracked, name, event.snapshot)
  }

  #event(tracked: Tracked, event: { readonly type: string }, sourceRef: object | undefined): void {
    const { clean, content, emit } = this.#options
    const source = sourceRef && this.#tracked.get(sourceRef)
    const { type, code, ...data } = event as { type: string; code?: unknown }
    emit({
      type: 'event',
      actor: tracked.key,
      event: clean.name(type),
      ...(source && { source: source.key }),
      ...(type === 'reject' && typeof code === 'string' && Object.hasOwn(errorCodes, code) && { code }),
      ...(content && Object.keys(data).length > 0 && { data: clean.json(data) }),
    })
  }

  #snapshot(tracked: Tracked, event: string, snapshot: { readonly status: ActorStatus; readonly value?: unknown }): void {
    const { status } = snapshot
    this.#options.emit({
      type: 'snapshot',
      actor: tracked.key,
      event: this.#options.clean.name(event),
      status,
      // What a logic without a chart calls its value may be anything.
      ...(tracked.isCharted && { value: snapshot.value as StateValue }),
    })
    if (status !== 'active' && tracked.runId !== undefined && this.#runsById.get(tracked.runId) === tracked)
      this.#runsById.delete(tracked.runId)
  }

  #adopt(ref: AnyActorRef): Tracked | null {
    const { registry } = this.#options
    let parent: Tracked | null | undefined
    if (ref !== registry) {
      const above = ref._parent
      parent = above && (this.#tracked.get(above) ?? this.#adopt(above))
      if (!parent) {
        this.#tracked.set(ref, null)
        return null
      }
    }
    return this.#introduce(ref, parent ?? undefined)
  }

  #introduce(ref: AnyActorRef, parent: Tracked | undefined): Tracked {
    const { clean, emit } = this.#options
    const { config } = (ref as unknown as { readonly logic: { readonly config?: { readonly id?: unknown } } }).logic
    const { status, value, context } = (ref.getSnapshot() ?? { status: 'active' }) as {
      status: ActorStatus
      value?: unknown
      context?: unknown
    }
    const kind = kindOf(ref, parent, config?.id)
    const known = kind === 'run' ? this.#runsById.get(ref.id) : undefined
    // First heard of by its run id, without its actor.
    if (known && known.key === keyOfRun(ref.id)) {
      this.#tracked.set(ref, known)
      return known
    }
    const chart = this.#charts.keyOf(config)
    const key = ref.sessionId
    const run = kind === 'run' ? key : parent?.run
    const tracked: Tracked = { key, kind, isCharted: chart !== undefined, run, runId: kind === 'run' ? ref.id : undefined }
    this.#tracked.set(ref, tracked)
    emit({
      type: 'actor',
      actor: key,
      kind,
      status,
      ...(parent && { parent: parent.key }),
      ...(chart !== undefined && { chart, value: value as StateValue }),
      ...(run !== undefined && { run }),
      ...(kind === 'run'
        ? this.#runFields(ref.id, context as RunMachineContext)
        : { name: kind === 'registry' ? kind : clean.name(agentIdOf(kind, context) ?? ref.id) }),
    })
    // A start that was refused for its id leaves the run alone that has it.
    if (kind === 'run' && !known && status === 'active') this.#runsById.set(ref.id, tracked)
    return tracked
  }

  #runFields(runId: string, { provider, label, parentRunId, timeoutMs }: RunMachineContext): Below {
    const { clean } = this.#options
    const above = parentRunId === undefined ? undefined : this.#runsById.get(parentRunId)
    return {
      name: clean.name(runId),
      provider: clean.name(provider),
      ...this.labelOf(label, parentRunId === undefined),
      ...(above && { parentRun: above.key }),
      ...(timeoutMs !== undefined && { timeoutMs }),
    }
  }

  /** Runs that were live before anybody looked: their actors show with their next events. */
  #adoptLiveRuns(): void {
    const { registry, emit } = this.#options
    const { runs = {} } = registry.getPersistedSnapshot() as unknown as {
      runs?: Record<string, { value: StateValue; context: RunMachineContext }>
    }
    const parent = this.#tracked.get(registry)!.key
    for (const [runId, { value, context }] of Object.entries(runs)) {
      const key = keyOfRun(runId)
      this.#runsById.set(runId, { key, kind: 'run', isCharted: true, run: key, runId })
      emit({ type: 'actor', actor: key, parent, kind: 'run', status: 'active', value, run: key, ...this.#runFields(runId, context) })
    }
  }
}

const keyOfRun = (runId: string): string => `run:${runId}`

function kindOf(ref: AnyActorRef, parent: Tracked | undefined, chartId: unknown): ActorKind {
  if (!parent) return 'registry'
  if (parent.kind === 'registry') return (ref.src as unknown) === 'run' ? 'run' : 'other'
  return chartId === 'agent' ? 'agent' : chartId === 'acp' ? 'acp-process' : 'other'
}

function agentIdOf(kind: ActorKind, context: unknown): string | undefined {
  const id = kind === 'agent' ? (context as { readonly agentId?: unknown } | undefined)?.agentId : undefined
  return typeof id === 'string' ? id : undefined
}
