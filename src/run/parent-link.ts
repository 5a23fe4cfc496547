/**
 * Parents that are actors: when one is disposed, the runs it started are cancelled and disposed (S22). At most one
 * subscription a parent, gone with the last of its runs.
 */
import type { ParentAgent } from '../types.ts'
import type { RunRecord } from './record.ts'

interface Observable {
  subscribe(observer: { complete(): void; error(): void }): { unsubscribe(): void }
}

export class ParentLinks {
  readonly #links = new Map<ParentAgent, { readonly runs: Set<RunRecord>; readonly subscription: { unsubscribe(): void } }>()

  link(record: RunRecord): void {
    const { parent } = record.request
    const ref = actorOf(parent)
    if (!ref) return
    const link = this.#links.get(parent)
    if (link) {
      link.runs.add(record)
      return
    }
    const runs = new Set([record])
    const gone = (): void => {
      this.#links.delete(parent)
      for (const run of runs) {
        if (!run.settlement) {
          run.whyStopped = `The parent, agent ${parent.id}, is disposed, and its children end with it. Start the child under a live parent; a session that is kept goes on by service.resume().`
          run.stop('its parent was disposed')
        }
        run.release()
      }
    }
    this.#links.set(parent, { runs, subscription: ref.subscribe({ complete: gone, error: gone }) })
  }

  unlink(record: RunRecord): void {
    const link = this.#links.get(record.request.parent)
    if (!link?.runs.delete(record) || link.runs.size > 0) return
    link.subscription.unsubscribe()
    this.#links.delete(record.request.parent)
  }
}

function actorOf(parent: ParentAgent): Observable | undefined {
  const { ref } = parent as { readonly ref?: Partial<Observable> }
  return typeof ref?.subscribe === 'function' ? (ref as Observable) : undefined
}
