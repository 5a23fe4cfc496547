/**
 * What holds of every sequence of events, whatever was asked for: looked at without the model, so that an error that the
 * model shares with the engine is seen all the same (R6, R16, S15, S21, S22).
 */
import type { SubagentLifecycleEvent } from '../../src/index.ts'
import type { Limits } from './actions.ts'

interface Seen {
  readonly parentRunId: string | undefined
  updates: number
  ended: boolean
}

export class Invariants {
  readonly violations: string[] = []
  readonly #limits: Limits
  readonly #seen = new Map<string, Seen>()
  /** Runs that hold a slot: the provider of each. */
  readonly #slots = new Map<string, string>()
  readonly #lastStarted = new Map<string, number>()

  constructor(limits: Limits) {
    this.#limits = limits
  }

  hear(event: SubagentLifecycleEvent): void {
    if (!('runId' in event)) return
    const { type, runId } = event
    const seen = this.#seen.get(runId)
    if (type === 'subagent/start') {
      if (seen) this.#violated('R6', `a second start of ${runId}`)
      this.#seen.set(runId, { parentRunId: event.parentRunId, updates: 0, ended: false })
      return
    }
    if (!seen) return this.#violated('R6', `${type} of ${runId} before its start`)
    if (seen.ended) return this.#violated(type === 'subagent/end' ? 'R6' : 'R16', `${type} of ${runId} after its end`)
    if (event.type === 'subagent/update') {
      if (event.update.seq !== seen.updates++) this.#violated('R16', `update ${event.update.seq} of ${runId} out of order`)
      return
    }
    seen.ended = true
    this.#slots.delete(runId)
    for (const [child, { parentRunId, ended }] of this.#seen)
      if (parentRunId === runId && !ended) this.#violated('S22', `${runId} ended before its child run ${child}`)
  }

  /** `start` of a provider is called for the run that was the nth to be asked for. */
  starting(index: number, runId: string, provider: string, isNested: boolean): void {
    if (isNested) return
    const { maxConcurrentRuns = Infinity, maxConcurrentPerProvider = Infinity } = this.#limits
    this.#slots.set(runId, provider)
    const sameProvider = [...this.#slots.values()].filter((other) => other === provider).length
    if (this.#slots.size > maxConcurrentRuns || sameProvider > maxConcurrentPerProvider)
      this.#violated('S21', `${runId} starts over the limit`)
    if (maxConcurrentRuns === Infinity && maxConcurrentPerProvider === Infinity) return
    if (index < (this.#lastStarted.get(provider) ?? -1))
      this.#violated('S21', `${runId} was overtaken by run ${this.#lastStarted.get(provider)} of ${provider}`)
    this.#lastStarted.set(provider, index)
  }

  startThrew(runId: string): void {
    this.#slots.delete(runId)
  }

  /** A reaction that the caller attached to `result` runs. */
  reacted(runId: string, failedToStart: boolean): void {
    const seen = this.#seen.get(runId)
    if (seen ? !seen.ended : !failedToStart) this.#violated('S15', `the result of ${runId} was heard before its end`)
  }

  /** Every run that was announced has had its end. */
  finish(): void {
    for (const [runId, { ended }] of this.#seen) if (!ended) this.#violated('R6', `${runId} has no end`)
  }

  #violated(id: string, what: string): void {
    this.violations.push(`${id}: ${what}`)
  }
}
