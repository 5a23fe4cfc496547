/**
 * Parents as data: one object for all the runs that a parent starts while nothing of it changes, since one of thousands would
 * else be written down as often.
 */
import { deepFreeze } from '../run/copy.ts'
import type { ParentAgent, ParentRef } from '../types.ts'

const fields = Object.keys({
  agentId: true,
  sessionId: true,
  cwd: true,
  depth: true,
  toolFilter: true,
  traceparent: true,
} satisfies Record<Exclude<keyof ParentRef, 'lineage'>, true>) as (keyof ParentRef)[]

export class ParentRefs {
  readonly #last = new WeakMap<ParentAgent, ParentRef>()

  /** @returns the same, frozen; the one that was given out last where that says as much */
  shared(parent: ParentAgent, ref: ParentRef): ParentRef {
    const last = this.#last.get(parent)
    if (last && saySame(last, ref)) return last
    deepFreeze(ref)
    this.#last.set(parent, ref)
    return ref
  }
}

/** A filter is a copy of its own each time and says the same only where there is none. */
function saySame(one: ParentRef, other: ParentRef): boolean {
  const { lineage } = other
  return (
    fields.every((field) => one[field] === other[field]) &&
    one.lineage.length === lineage.length &&
    one.lineage.every((id, index) => id === lineage[index])
  )
}
