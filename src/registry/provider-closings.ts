/**
 * When a provider is told that what it keeps between runs is needed no more: its registration is over, and its runs are gone.
 *
 * Invariants: not while a run of it is live, but for one that was left alive; not where it is registered again by then; a
 * close that throws, rejects or does not end holds up nothing for longer than its grace (S17).
 */
import { describeThrown, warn } from '../run/contain.ts'
import type { RunHost } from '../run/host.ts'
import type { SubagentProvider } from '../types.ts'

export interface ProviderClosingsOptions {
  readonly host: Pick<RunHost, 'clock' | 'logger' | 'records'>
  /** How long a close is waited for, in milliseconds. */
  readonly graceMs: number
  isRegistered(provider: SubagentProvider): boolean
}

export class ProviderClosings {
  readonly #options: ProviderClosingsOptions
  /** Out of the registry, with live runs. */
  readonly #retiring = new Set<SubagentProvider>()
  readonly #closing = new Set<Promise<void>>()

  constructor(options: ProviderClosingsOptions) {
    this.#options = options
  }

  /** A registration of it is over. */
  retire(provider: SubagentProvider): void {
    if (!hasClose(provider)) return
    const records = [...this.#options.host.records.values()].filter((record) => record.provider === provider)
    if (records.length === 0) return this.#close(provider)
    this.#retiring.add(provider)
    let live = records.length
    const gone = (): void => {
      if (--live === 0 && this.#retiring.delete(provider)) this.#close(provider)
    }
    for (const record of records) record.whenGone(gone)
  }

  /**
   * The registry has closed.
   * @param registered to its end
   * @returns what resolves when all have closed, or their grace is over; `undefined` where there is nothing to wait for
   */
  closeAll(registered: Iterable<SubagentProvider>): Promise<unknown> | undefined {
    const open = new Set([...registered].filter(hasClose))
    for (const provider of this.#retiring) open.add(provider)
    this.#retiring.clear()
    for (const provider of open) this.#call(provider)
    return this.#closing.size > 0 ? Promise.all(this.#closing) : undefined
  }

  #close(provider: SubagentProvider): void {
    if (!this.#options.isRegistered(provider)) this.#call(provider)
  }

  #call(provider: SubagentProvider): void {
    const closing = this.#closed(provider).finally(() => this.#closing.delete(closing))
    this.#closing.add(closing)
  }

  #closed(provider: SubagentProvider): Promise<void> {
    const { host, graceMs } = this.#options
    const complain = (what: string): void => warn(host.logger, `close() of provider ${JSON.stringify(provider.name)} ${what}`)
    return new Promise((resolve) => {
      const timer = host.clock.setTimeout(() => {
        complain(`did not end within ${graceMs} ms and is not waited for.`)
        resolve()
      }, graceMs)
      const over = (): void => {
        host.clock.clearTimeout(timer)
        resolve()
      }
      const failed = (thrown: unknown): void => {
        complain(`failed: ${describeThrown(thrown)}`)
        over()
      }
      try {
        Promise.resolve(provider.close!()).then(over, failed)
      } catch (thrown) {
        failed(thrown)
      }
    })
  }
}

function hasClose(provider: SubagentProvider): boolean {
  try {
    return typeof provider.close === 'function'
  } catch {
    return false
  }
}
