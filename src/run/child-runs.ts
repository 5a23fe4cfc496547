/**
 * The runs that a run's child started in its turn: they hear its cancel, end before it, and go with it (S22).
 */
import type { RunRecord } from './record.ts'

export class ChildRuns {
  /** By record, not by run id: an id may be used again by a run that is nobody's parent. */
  readonly #byParent = new Map<RunRecord, Set<RunRecord>>()

  add(parent: RunRecord, child: RunRecord): void {
    child.parentRun = parent
    const siblings = this.#byParent.get(parent)
    if (siblings) siblings.add(child)
    else this.#byParent.set(parent, new Set([child]))
  }

  delete(child: RunRecord): void {
    const { parentRun } = child
    if (!parentRun) return
    const siblings = this.#byParent.get(parentRun)
    if (siblings?.delete(child) && siblings.size === 0) this.#byParent.delete(parentRun)
  }

  of(parent: RunRecord): readonly RunRecord[] {
    const children = this.#byParent.get(parent)
    return children ? [...children] : none
  }
}

const none: readonly RunRecord[] = []

const unsettled = (record: RunRecord): readonly RunRecord[] => record.host.childRuns.of(record).filter(({ settlement }) => !settlement)

/**
 * All runs below one, level by level from the deepest up, so that what is done to a run finds its own children seen to: nothing
 * recurses into the depth of a tree. What lies below a run that is `seenTo` is so too.
 */
function below(record: RunRecord, seenTo: (record: RunRecord) => boolean): readonly RunRecord[] {
  // Most runs have none, and every run comes by here.
  if (record.host.childRuns.of(record) === none) return none
  const levels: RunRecord[][] = []
  for (let parents: readonly RunRecord[] = [record]; parents.length > 0;) {
    const level = parents.flatMap((parent) => parent.host.childRuns.of(parent).filter((child) => !seenTo(child)))
    levels.push(level)
    parents = level
  }
  return levels.toReversed().flat()
}

/** A cancel goes down the tree at once, so that a child's grace never ends after its parent's has begun to. */
export function stopChildRuns(record: RunRecord, reason: string): void {
  for (const child of below(record, ({ settlement, stopping }) => stopping || settlement !== undefined)) child.stop(reason)
}

/** Whoever starts another run at every end of one would be followed for ever; what it starts after this ends when it ends. */
const rounds = 8

/**
 * Calls back when every child run has had its end, also those that were started meanwhile; those still at work are cancelled,
 * and their graces bound the wait.
 */
export function afterChildRuns(record: RunRecord, callback: () => void, roundsLeft = rounds): void {
  const open = unsettled(record)
  if (open.length === 0 || roundsLeft === 0) return callback()
  let left = open.length
  for (const child of open) {
    child.whenEnded(() => {
      // In a turn of its own: the ends of a deep tree do not stand on one another.
      if (--left === 0) queueMicrotask(() => afterChildRuns(record, callback, roundsLeft - 1))
    })
    if (!child.stopping) child.stop('its parent has ended')
  }
}

/** The run settles now: what is still open below it is given up, so that no end comes after its parent's. */
export function giveUpChildRuns(record: RunRecord): void {
  if (record.host.childRuns.of(record) === none) return
  const givenUp = new Set<RunRecord>()
  for (let round = 0; round < rounds; round++) {
    const open = below(record, (child) => givenUp.has(child) || child.settlement !== undefined)
    if (open.length === 0) return
    for (const child of open) {
      givenUp.add(child)
      child.giveUp('its parent has ended')
    }
  }
}

export function disposeChildRuns(record: RunRecord): void {
  for (const child of below(record, ({ disposing }) => disposing)) child.release()
}
