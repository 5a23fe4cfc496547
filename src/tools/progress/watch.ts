/**
 * The runs of a service that somebody looks at, and those below them (T15). One set of listeners a service, there as long as
 * anything is looked at; an event of any other run costs one look-up.
 */
import type { SubagentRun, SubagentStartEvent } from '../../types.ts'
import type { DelegatingService } from '../options.ts'
import { identityOf } from '../names.ts'
import { RunNode } from './node.ts'
import { childTextLimitBytes } from './snapshot.ts'

const watches = new WeakMap<object, RunWatch>()

export function watchOf(service: DelegatingService): RunWatch {
  const key = identityOf(service)
  let watch = watches.get(key)
  if (!watch) watches.set(key, (watch = new RunWatch(service)))
  return watch
}

export interface Watched {
  readonly run: SubagentRun
  readonly node: RunNode
}

export class RunWatch {
  readonly #service: DelegatingService
  readonly #nodes = new Map<string, RunNode>()
  #subscriptions: readonly { unsubscribe(): void }[] = []
  #looking = 0
  /** While a run is being started its id is not known yet, and its first events are on their way. */
  #starting: { readonly nodes: RunNode[]; readonly textLimitBytes: number } | undefined

  constructor(service: DelegatingService) {
    this.#service = service
  }

  /**
   * Looks at the run that `start` starts, until {@link release}.
   * @throws what `start` throws
   */
  start(start: () => SubagentRun, label: string, textLimitBytes: number): Watched {
    if (this.#looking++ === 0) this.#subscribe()
    const outer = this.#starting
    const starting = (this.#starting = { nodes: [] as RunNode[], textLimitBytes })
    let node: RunNode | undefined
    try {
      const run = start()
      const { runId, provider } = run
      node = this.#nodes.get(runId)
      if (!node) this.#nodes.set(runId, (node = new RunNode({ runId, provider, label }, textLimitBytes)))
      node.holders++
      return { run, node }
    } catch (thrown) {
      this.#stopLooking()
      throw thrown
    } finally {
      this.#starting = outer
      for (const other of starting.nodes) if (other !== node) this.#drop(other)
    }
  }

  release(node: RunNode): void {
    node.holders--
    node.onChange = undefined
    this.#drop(node)
    this.#stopLooking()
  }

  /** Forgets a run that nobody looks at, by itself or through one above it, and those below it. */
  #drop(node: RunNode): void {
    if (node.holders > 0 || node.parent) return
    if (this.#nodes.get(node.runId) === node) this.#nodes.delete(node.runId)
    for (const child of node.children) {
      child.parent = undefined
      this.#drop(child)
    }
  }

  #stopLooking(): void {
    if (--this.#looking > 0) return
    for (const subscription of this.#subscriptions) subscription.unsubscribe()
    this.#subscriptions = []
    this.#nodes.clear()
  }

  #subscribe(): void {
    this.#subscriptions = [
      this.#service.on('subagent/start', (event) => this.#onStart(event)),
      this.#service.on('subagent/update', ({ runId, update }) => this.#nodes.get(runId)?.take(update)),
      this.#service.on('subagent/end', ({ runId, stopReason, usage }) => this.#nodes.get(runId)?.ended(stopReason, usage)),
    ]
  }

  #onStart(event: SubagentStartEvent): void {
    const parent = event.parentRunId === undefined ? undefined : this.#nodes.get(event.parentRunId)
    let node = this.#nodes.get(event.runId)
    if (!node) {
      if (!parent && !this.#starting) return
      node = new RunNode(event, this.#starting?.textLimitBytes ?? childTextLimitBytes)
      this.#nodes.set(event.runId, node)
      this.#starting?.nodes.push(node)
    }
    if (parent && node.parent !== parent) parent.add(node)
    node.started(!this.#service.getProvider(event.provider)?.signalsReady)
  }
}
