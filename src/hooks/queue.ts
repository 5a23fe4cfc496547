/**
 * What hooks have to do, in order: jobs of one run one after the other, so that its stop hooks find what its start hooks did;
 * those of different runs beside each other, as many as the limit lets (H4).
 */
import { deferred } from '../run/deferred.ts'
import type { Deferred } from '../run/deferred.ts'

/** Says itself what went wrong: a rejection is not told to anybody. */
export type Job = () => Promise<void>

/** How many jobs may wait: each holds the last message of a run. */
const mostWaiting = 10_000

export class HookQueue {
  readonly #limit: number
  /** Of runs that have a job: those that wait for the one before them. */
  readonly #later = new Map<string, Job[]>()
  readonly #ready: { readonly runId: string; readonly job: Job }[] = []
  #waiting = 0
  #running = 0
  #idle: Deferred<void> | undefined = undefined

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Begins it in a later turn: whoever caused the event does not pay for the start of a process. @returns false where too many wait */
  add(runId: string, job: Job): boolean {
    if (this.#waiting >= mostWaiting) return false
    this.#waiting++
    const later = this.#later.get(runId)
    if (later) later.push(job)
    else {
      this.#later.set(runId, [])
      this.#ready.push({ runId, job })
      queueMicrotask(() => this.#work())
    }
    return true
  }

  idle(): Promise<void> {
    return this.#later.size === 0 ? Promise.resolve() : (this.#idle ??= deferred()).promise
  }

  #work(): void {
    while (this.#running < this.#limit) {
      const next = this.#ready.shift()
      if (!next) return
      this.#waiting--
      this.#running++
      const ended = (): void => this.#ended(next.runId)
      void next.job().then(ended, ended)
    }
  }

  #ended(runId: string): void {
    this.#running--
    const job = this.#later.get(runId)!.shift()
    if (job) this.#ready.push({ runId, job })
    else this.#later.delete(runId)
    this.#work()
    if (this.#later.size > 0) return
    this.#idle?.resolve()
    this.#idle = undefined
  }
}
