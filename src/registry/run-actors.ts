/**
 * The actors of runs: children of the registry in its system, made outside its mailbox, so that a start works inside any
 * callback (S8, S25).
 */
import { createActor } from 'xstate'
import type { AnyActorRef } from 'xstate'
import { SubagentError } from '../errors.ts'
import type { RunInput, RunLogic } from '../machines/run.ts'
import { createRunLogic } from '../run/logic.ts'
import type { RunRecord } from '../run/record.ts'
import type { RunActorRef } from '../types.ts'

export class RunActors {
  readonly #registry: AnyActorRef
  readonly #logic: RunLogic

  constructor(registry: AnyActorRef, records: ReadonlyMap<string, RunRecord>) {
    this.#registry = registry
    this.#logic = createRunLogic(records)
  }

  /** @param snapshot persisted, where the run is restored */
  create(input: RunInput, snapshot?: unknown): RunActorRef {
    // The src is a name: an inline one throws when it is persisted. XState's types hide parent from outsiders.
    const options = { parent: this.#registry, id: input.runId, src: 'run', input, ...(snapshot !== undefined && { snapshot }) }
    // XState keeps its merge of the options, an object with a hidden class of its own a run and six times the size of these.
    return Object.assign(createActor(this.#logic, options as never), { options })
  }

  /** A refused start is a run that goes from validating to disposed, and is gone; nobody holds a record of it. */
  refuse(input: RunInput, error: unknown): void {
    const refused = this.create(input)
    refused.start()
    refused.send({ type: 'reject', ...(SubagentError.is(error) && { code: error.code }) })
  }
}

export function runInput({ resolved, providerName, parentRunId }: RunRecord): RunInput {
  const { runId, label, timeoutMs, cancelGraceMs, releaseGraceMs } = resolved
  return {
    runId,
    provider: providerName,
    cancelGraceMs,
    releaseGraceMs,
    ...(parentRunId !== undefined && { parentRunId }),
    ...(label !== undefined && { label }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  }
}
