/**
 * Closing as the model has it: trees of runs that are released from below, each within its slowest grace (S6).
 */
import { isUnsettled } from './model-run.ts'
import type { ModelRun, Timer } from './model-run.ts'
import type { ModelTime } from './model-time.ts'

interface Node {
  readonly run: ModelRun
  readonly below: readonly ModelRun[]
  asked: boolean
}

interface Tree {
  readonly nodes: readonly Node[]
  /** How long what cannot be released holds those above it. */
  bound: Timer | undefined
}

export interface Closer {
  isLive(run: ModelRun): boolean
  stop(run: ModelRun): void
  dispose(run: ModelRun): void
}

export class ModelClosing {
  readonly #trees: Tree[] = []
  readonly #closer: Closer
  readonly #time: ModelTime

  constructor(runs: readonly ModelRun[], closer: Closer, time: ModelTime) {
    this.#closer = closer
    this.#time = time
    for (const run of runs) if (closer.isLive(run) && !(run.parent && closer.isLive(run.parent))) this.#close(run)
  }

  #close(root: ModelRun): void {
    const runs = withBelow(root)
    const tree: Tree = { nodes: runs.map((run) => ({ run, below: withBelow(run).slice(1), asked: false })), bound: undefined }
    this.#trees.push(tree)
    // A cancel goes down by itself, but not past a run that has settled already.
    for (const run of runs) if (isUnsettled(run) && !run.stopping) this.#closer.stop(run)
    if (runs.length > 1)
      tree.bound = this.#time.arm('close', 'release', Math.max(...runs.map(({ graceMs, releaseMs }) => graceMs + releaseMs)))
    for (const node of tree.nodes) if (node.below.length === 0) this.#dispose(node)
  }

  #dispose(node: Node): void {
    node.asked = true
    this.#closer.dispose(node.run)
  }

  /** Disposes a run that nothing below holds any more; false where there is none. */
  goOn(): boolean {
    for (const { nodes, bound } of this.#trees) {
      const isOver = bound !== undefined && !this.#time.timers.has(bound)
      const next = nodes.find(({ asked, below }) => !asked && (isOver || below.every(isGone)))
      if (next) {
        this.#dispose(next)
        return true
      }
      if (bound && nodes.every(({ run }) => isGone(run))) this.#time.timers.delete(bound)
    }
    return false
  }

  get isDone(): boolean {
    return this.#trees.every(({ nodes }) => nodes.every(({ run }) => isGone(run)))
  }
}

const isGone = ({ phase }: ModelRun): boolean => phase === 'disposed'

/** A run and what is below it, level by level. */
function withBelow(run: ModelRun): ModelRun[] {
  const found = [run]
  for (const each of found) found.push(...each.children)
  return found
}
