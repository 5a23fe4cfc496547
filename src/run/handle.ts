/**
 * The caller's handle of a run (R10, R12, V5).
 */
import { SubagentError } from '../errors.ts'
import type { ContentBlock, ProviderRun, RunActorRef, SubagentResult, SubagentRun, SubagentUpdate } from '../types.ts'
import type { RunRecord } from './record.ts'
import { blocks } from './request.ts'

class RunHandle implements SubagentRun {
  readonly #record: RunRecord

  constructor(record: RunRecord) {
    this.#record = record
  }

  get id(): string {
    return this.#record.id
  }
  get runId(): string {
    return this.#record.runId
  }
  get provider(): string {
    return this.#record.providerName
  }
  get ref(): RunActorRef {
    const { host, ref } = this.#record
    // It may become the parent of an actor (S25).
    host.watchChildren(ref)
    return ref
  }
  get result(): Promise<SubagentResult> {
    return this.#record.result
  }
  get updates(): AsyncIterable<SubagentUpdate> {
    const record = this.#record
    return { [Symbol.asyncIterator]: () => record.reports.log.read() }
  }
  get late(): number {
    return this.#record.late
  }
  get droppedUpdates(): number {
    return this.#record.droppedUpdates
  }
  get leaked(): boolean {
    return this.#record.leaked
  }
  cancel(reason?: string): void {
    this.#record.stop(reason)
  }
  dispose(): Promise<void> {
    return this.#record.dispose()
  }
  [Symbol.asyncDispose](): Promise<void> {
    return this.#record.dispose()
  }
}

export function createHandle(record: RunRecord): SubagentRun {
  const handle: SubagentRun = new RunHandle(record)
  if (record.child) addAbilities(handle, record, record.child)
  else record.onChild = (child) => addAbilities(handle, record, child)
  return handle
}

/** Methods that are there only where the child can (V5). */
function addAbilities(handle: SubagentRun, record: RunRecord, child: ProviderRun): void {
  if (child.sendMessage) {
    handle.sendMessage = (content: ContentBlock[] | string) => {
      const message = [...blocks(content, 'content')]
      if (record.settlement)
        throw new SubagentError(
          'INVALID_REQUEST',
          `Run ${record.runId} has settled and takes no more messages. Use resume, where it is there.`,
        )
      child.sendMessage!(message)
    }
  }
  if (child.resume) {
    handle.resume = (content: ContentBlock[] | string) => {
      const prompt = blocks(content, 'content')
      if (!record.settlement)
        throw new SubagentError('INVALID_REQUEST', `Run ${record.runId} has not settled: send it a message, or wait for its result.`)
      const { id: _, signal: __, ...request } = record.request
      return record.host.start(record.providerName, { ...request, prompt }, (_request, context) => child.resume!([...prompt], context))
    }
  }
}
