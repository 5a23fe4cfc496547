/**
 * Listeners of lifecycle events: dispatch order, containment, refusal.
 *
 * Invariants: a dispatch sees the listeners that existed when it began (S18); those of a type come before those of `'*'`
 * (S19); a listener that throws or rejects is logged and the others hear (S17); only `dispatchRefusable` stops at a throw (S3).
 */
import type { Logger, SubagentLifecycleEvent } from '../types.ts'
import { contain, isThenable, describeThrown, warn } from './contain.ts'

export type LifecycleType = SubagentLifecycleEvent['type']
export const lifecycleTypes: readonly string[] = Object.keys({
  'subagent/start': true,
  'subagent/update': true,
  'subagent/end': true,
  'subagent/provider-added': true,
  'subagent/provider-removed': true,
} satisfies Record<LifecycleType, true>)
export type LifecycleEventOf<Type extends LifecycleType | '*'> = Type extends '*'
  ? SubagentLifecycleEvent
  : Extract<SubagentLifecycleEvent, { type: Type }>

type Listener = (event: any) => unknown

export class Relay {
  // Arrays are replaced, never changed, so that a running dispatch keeps the one it began with.
  readonly #listeners = new Map<string, readonly Listener[]>()
  /** Runs that a dispatch is telling of right now, with what came meanwhile. */
  readonly #telling = new Map<string, SubagentLifecycleEvent[]>()
  readonly #logger: Logger
  readonly #emit: (event: SubagentLifecycleEvent) => void

  /** @param emit hands each event on to the raw listeners of the registry actor, after the contained ones (S27) */
  constructor(logger: Logger, emit: (event: SubagentLifecycleEvent) => void) {
    this.#logger = logger
    this.#emit = emit
  }

  on(type: string, listener: Listener): { unsubscribe(): void } {
    // A fresh function a subscription: the same listener may be added twice and removed once.
    const entry: Listener = (event) => listener(event)
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), entry])
    return {
      unsubscribe: () => {
        const rest = (this.#listeners.get(type) ?? []).filter((other) => other !== entry)
        if (rest.length > 0) this.#listeners.set(type, rest)
        else this.#listeners.delete(type)
      },
    }
  }

  /** An event of a run that is being told of another waits for its turn: every listener hears one order a run (S8). */
  dispatch(event: SubagentLifecycleEvent): void {
    const run = 'runId' in event ? event.runId : undefined
    if (run === undefined) return this.#tell(event)
    const waiting = this.#telling.get(run)
    if (waiting) return void waiting.push(event)
    const queue: SubagentLifecycleEvent[] = []
    this.#telling.set(run, queue)
    for (let next: SubagentLifecycleEvent | undefined = event; next; next = queue.shift()) this.#tell(next)
    this.#telling.delete(run)
  }

  #tell(event: SubagentLifecycleEvent): void {
    // What one listener does to it, another would see.
    Object.freeze(event)
    const typed = this.#listeners.get(event.type)
    const any = this.#listeners.get('*')
    if (typed) for (const listener of typed) contain(this.#logger, `A listener of ${event.type}`, () => listener(event))
    if (any) for (const listener of any) contain(this.#logger, `A listener of '*' (${event.type})`, () => listener(event))
    this.#emit(event)
  }

  /**
   * Stops at the first throw and passes it on.
   * @param refused called with how many listeners had heard the event in full before the one that threw
   */
  dispatchRefusable(event: SubagentLifecycleEvent, refused: (heard: number) => void): void {
    let heard = 0
    Object.freeze(event)
    try {
      for (const listener of [...(this.#listeners.get(event.type) ?? []), ...(this.#listeners.get('*') ?? [])]) {
        const returned = listener(event)
        heard++
        if (isThenable(returned))
          Promise.resolve(returned).catch((thrown: unknown) =>
            warn(this.#logger, `A listener of ${event.type} rejected, which refuses nothing: ${describeThrown(thrown)}`),
          )
      }
    } catch (thrown) {
      refused(heard)
      throw thrown
    }
    this.#emit(event)
  }
}
