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
      if (tree.length === 1) {
        record.whenGone(closing.one())
        record.release()
      } else void releaseTree(host, tree).then(closing.one())
    }
    if (slice.isLookedAt()) await slice.next()
  }
  await closing.done()
}

/** A run that no other takes along: its parent is gone, or left alive. */
function isRoot({ parentRun }: RunRecord, isLeft: (record: RunRecord) => boolean): boolean {
  return !parentRun?.isLive || isLeft(parentRun)
}

/** A run and those below it that are closed with it. */
interface Branch {
  readonly record: RunRecord
  readonly children: readonly RunRecord[]
}

/** All runs of a tree, parents before their children; a list, so that nothing recurses into its depth. */
function treeOf(root: RunRecord, isLeft: (record: RunRecord) => boolean): readonly Branch[] {
  const tree: Branch[] = []
  for (let level: readonly RunRecord[] = [root]; level.length > 0;) {
    const branches = level.map((record) => ({ record, children: record.host.childRuns.of(record).filter((child) => !isLeft(child)) }))
    for (const branch of branches) tree.push(branch)
    level = branches.flatMap(({ children }) => children)
  }
  return tree
}

/** A cancel reaches what is below by itself; what is below a run that has settled already does not hear of it. */
function cancelTree(tree: readonly Branch[]): void {
  for (const { record } of tree) if (!record.settlement && !record.stopping) record.stop('the service is closing')
}

/** Resolves when every run of the tree is disposed. */
async function releaseTree(host: RunHost, tree: readonly Branch[]): Promise<void> {
  const [root] = tree
  const bound = after(
    host,
    tree.reduce((slowest, { record: { resolved } }) => Math.max(slowest, resolved.cancelGraceMs + resolved.releaseGraceMs), 0),
  )
  const released = new Map<RunRecord, Promise<void>>()
  for (const { record, children } of tree.toReversed())
    released.set(
      record,
      children.length === 0
        ? release(record)
        : releaseAfter(bound.promise, Promise.all(children.map((child) => released.get(child)!)), record),
    )
  await released.get(root!.record)
  bound.clear()
}

async function releaseAfter(bound: Promise<void>, children: Promise<unknown>, record: RunRecord): Promise<void> {
  await Promise.race([bound, children])
  await release(record)
  await children
}

const release = (record: RunRecord): Promise<void> => record.dispose().catch(() => {})

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
  readonly #down = (): void => {
    if (--this.#left === 0) this.#resolve()
  }

  /** @returns to be called once, when it is over */
  one(): () => void {
    this.#left++
    return this.#down
  }

  done(): Promise<void> {
    this.#down()
    return this.#promise
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
