/**
 * Closing: every live run is cancelled, children with their parents in one tick, and released, children before parents (S6).
 *
 * Large registries are worked off tree by tree, in slices, so that the loop is never blocked for long: nothing here looks at
 * all runs at once. The graces run side by side; in a tree, what cannot be released holds those above it no longer than the
 * slowest grace of that tree.
 */
import { contain } from '../run/contain.ts'
import type { RunHost } from '../run/host.ts'
import type { RunRecord } from '../run/record.ts'
import { inNextTurn } from '../run/turns.ts'

/** The time that one turn of the loop may be blocked; real time, whatever clock the runs live by. */
const sliceMs = 10
/** Trees between two looks at the time. What their cancels bring about as promises is worked off before the next look. */
const treesALook = 32

/** Resolves when everything is quiet. A failed release was logged by the run and rejects nothing. */
export async function closeRuns(host: RunHost, runs: 'cancel' | 'detach'): Promise<void> {
  host.slots.close()
  host.turns.spread()
  const isLeft = ({ child }: RunRecord): boolean => runs === 'detach' && child?.detach !== undefined
  const closing = new Countdown()
  const slice = new Slice()
  // Nobody comes in any more, and iterating the live map is safe against those that go.
  for (const record of host.records.values()) {
    if (isLeft(record)) contain(host.logger, `detach() of provider ${JSON.stringify(record.providerName)}`, () => record.child!.detach!())
    else if (isRoot(record, isLeft)) {
      const tree = treeOf(record, isLeft)
      cancelTree(tree)
      closing.add(releaseTree(host, tree))
    }
    if (slice.isLookedAt()) await slice.next()
  }
  await closing.done()
}

interface Tree {
  readonly record: RunRecord
  readonly below: readonly Tree[]
}

/** A run that no other takes along: its parent is gone, or left alive. */
function isRoot({ parentRun }: RunRecord, isLeft: (record: RunRecord) => boolean): boolean {
  return !parentRun?.isLive || isLeft(parentRun)
}

function treeOf(record: RunRecord, isLeft: (record: RunRecord) => boolean): Tree {
  const children = record.host.childRuns.of(record).filter((child) => !isLeft(child))
  return { record, below: children.map((child) => treeOf(child, isLeft)) }
}

function cancelTree({ record, below }: Tree): void {
  if (!record.settlement) record.stop('the service is closing')
  for (const tree of below) cancelTree(tree)
}

/** Resolves when every run of the tree is disposed. */
async function releaseTree(host: RunHost, tree: Tree): Promise<void> {
  if (tree.below.length === 0) return release(tree.record)
  const bound = after(host, slowestGrace(tree))
  await releaseWithin(bound.promise, tree)
  bound.clear()
}

async function releaseWithin(bound: Promise<void>, { record, below }: Tree): Promise<void> {
  if (below.length === 0) return release(record)
  const children = Promise.all(below.map((tree) => releaseWithin(bound, tree)))
  await Promise.race([bound, children])
  await release(record)
  await children
}

const release = (record: RunRecord): Promise<void> => record.dispose().catch(() => {})

function slowestGrace({ record: { resolved }, below }: Tree): number {
  let slowest = resolved.cancelGraceMs + resolved.releaseGraceMs
  for (const tree of below) slowest = Math.max(slowest, slowestGrace(tree))
  return slowest
}

function after({ clock }: RunHost, ms: number): { readonly promise: Promise<void>; clear(): void } {
  let id: unknown
  const promise = new Promise<void>((resolve) => (id = clock.setTimeout(resolve, Math.min(ms, 2_147_483_647))))
  return { promise, clear: () => clock.clearTimeout(id) }
}

/** Waits for many without holding them all. */
class Countdown {
  /** One for {@link done}. */
  #left = 1
  #resolve!: () => void
  readonly #promise = new Promise<void>((resolve) => (this.#resolve = resolve))

  add(promise: Promise<void>): void {
    this.#left++
    void promise.then(() => this.#down())
  }

  done(): Promise<void> {
    this.#down()
    return this.#promise
  }

  #down(): void {
    if (--this.#left === 0) this.#resolve()
  }
}

class Slice {
  #began = performance.now()
  #trees = 0

  /** Time to let promises come, which is most of what a cancel costs, and to see whether the slice is over. */
  isLookedAt(): boolean {
    return ++this.#trees % treesALook === 0
  }

  async next(): Promise<void> {
    await Promise.resolve()
    if (performance.now() - this.#began < sliceMs) return
    await new Promise<void>((resolve) => inNextTurn(resolve))
    this.#began = performance.now()
  }
}
