/**
 * What the child of one run reports while it works, on its way into the log of updates (R16).
 *
 * Owns: what is no update, what comes too late, and that both are counted. Does not own: numbering, buffer and readers, which
 * are the log's. Made with the first report or the first reader, since most runs have neither.
 */
import type { ContentBlock, SubagentUpdateContent } from '../types.ts'
import { describeThrown, warn } from './contain.ts'
import type { RunRecord } from './record.ts'
import { ownUpdate, UpdateLog } from './updates.ts'

export class RunReports {
  readonly #record: RunRecord
  #log: UpdateLog | undefined = undefined
  #dropped = 0
  #hasWarned = false

  constructor(record: RunRecord) {
    this.#record = record
  }

  /** Before `subagent/start` it is held back, once settled dropped. */
  take(update: SubagentUpdateContent): void {
    const { settlement, isLive, host, runId } = this.#record
    if (settlement || !isLive) {
      this.#dropped++
      return
    }
    let own: SubagentUpdateContent
    try {
      own = ownUpdate(update)
    } catch (thrown) {
      this.#dropped++
      if (!this.#hasWarned)
        warn(
          host.logger,
          `Run ${runId} reported something that is not an update: ${describeThrown(thrown)}. It is dropped, and so is every other like it.`,
        )
      this.#hasWarned = true
      return
    }
    this.log.push(own)
  }

  get log(): UpdateLog {
    if (!this.#log) {
      const record = this.#record
      const { runId, providerName, host } = record
      this.#log = new UpdateLog(runId, host.clock, (update) =>
        host.relay.dispatch({ type: 'subagent/update', provider: providerName, id: record.id, runId, update }),
      )
      if (record.announced) this.#log.open()
      if (record.settlement) this.#log.close()
    }
    return this.#log
  }

  /** `subagent/start` was delivered: what was held goes out, what comes goes through. */
  open(): void {
    this.#log?.open()
  }

  close(): void {
    this.#log?.close()
  }

  /** What the child streamed so far. */
  get partialOutput(): ContentBlock[] {
    return this.#log?.partialOutput() ?? []
  }

  /** Characters of what it streamed that are not kept. */
  get droppedText(): number {
    return this.#log?.droppedText ?? 0
  }

  get dropped(): number {
    return this.#dropped + (this.#log?.dropped ?? 0)
  }
}
