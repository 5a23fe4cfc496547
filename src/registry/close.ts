/**
 * Closing: every live run is cancelled, children with their parents in one tick, and released, children before parents (S6).
 *
 * Large registries are worked off in slices, so that the loop is never blocked for long; what one run holds bounds the
 * whole, since all graces run side by side.
 */
import type { RunHost } from '../run/host.ts'
import type { RunRecord } from '../run/record.ts'

const sliceMs = 20

/** Resolves when everything is quiet. A failed release was logged by the run and rejects nothing. */
export async function closeRuns(host: RunHost, runs: 'cancel' | 'detach'): Promise<void> {
  host.slots.close()
  const closing = [...host.records.values()].filter((record) => runs === 'cancel' || !record.child?.detach)
  const { roots, children } = treesOf(closing)
  const bound = after(host, Math.max(0, ...closing.map(graces)))
  const releases: Promise<void>[] = []
  const slice = new Slice()
  for (const root of roots) {
    cancelTree(root, children)
    releases.push(releaseTree(root, children, bound.promise))
    if (slice.isOver) await slice.next()
  }
  if (runs === 'detach') for (const record of host.records.values()) record.child?.detach?.()
  await Promise.all(releases)
  bound.clear()
}

type Children = ReadonlyMap<RunRecord, readonly RunRecord[]>

/**
 * Records come in the order of their starts, so a parent comes before its children: one that comes later has the id of a
 * parent that is gone. A run whose parent is not among them is the root of its own tree.
 */
function treesOf(records: readonly RunRecord[]): { readonly roots: readonly RunRecord[]; readonly children: Children } {
  const earlier = new Map<string, RunRecord>()
  const roots: RunRecord[] = []
  const children = new Map<RunRecord, RunRecord[]>()
  for (const record of records) {
    const parent = record.parentRunId === undefined ? undefined : earlier.get(record.parentRunId)
    const siblings = parent && children.get(parent)
    if (siblings) siblings.push(record)
    else if (parent) children.set(parent, [record])
    else roots.push(record)
    earlier.set(record.runId, record)
  }
  return { roots, children }
}

function cancelTree(record: RunRecord, children: Children): void {
  if (!record.settlement) record.stop('the service is closing')
  for (const child of children.get(record) ?? []) cancelTree(child, children)
}

async function releaseTree(record: RunRecord, children: Children, bound: Promise<void>): Promise<void> {
  const below = children.get(record)
  // A child that cannot be released holds its parents only as long as the slowest grace.
  if (below) await Promise.race([bound, Promise.all(below.map((child) => releaseTree(child, children, bound)))])
  await record.dispose().catch(() => {})
}

const graces = ({ resolved }: RunRecord): number => resolved.cancelGraceMs + resolved.releaseGraceMs

function after({ clock }: RunHost, ms: number): { readonly promise: Promise<void>; clear(): void } {
  let id: unknown
  const promise = new Promise<void>((resolve) => (id = clock.setTimeout(resolve, Math.min(ms, 2_147_483_647))))
  return { promise, clear: () => clock.clearTimeout(id) }
}

/** The time that one turn of the loop may be blocked; real time, whatever clock the runs live by. */
class Slice {
  #began = performance.now()

  get isOver(): boolean {
    return performance.now() - this.#began > sliceMs
  }

  async next(): Promise<void> {
    await new Promise<void>((resolve) => (typeof setImmediate === 'function' ? setImmediate(resolve) : setTimeout(resolve, 0)))
    this.#began = performance.now()
  }
}
