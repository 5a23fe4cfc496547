/**
 * The stdin of a process: whatever goes wrong with it, one failure, told to every write that it concerns (A23).
 */
import type { Writable } from 'node:stream'
import type { Deferred } from '../run/deferred.ts'
import { deferred } from '../run/deferred.ts'
import type { Clock } from '../types.ts'
import { unref } from './wait.ts'

/** `closed`: the process closed its end, or ended. `timeout`: it has not read. `ended`: `endInput` or `close` was called. */
export type InputFailure = 'closed' | 'timeout' | 'ended'

/** Why a process takes no more input. */
export class ProcessInputError extends Error {
  override name = 'ProcessInputError'
  readonly reason: InputFailure

  constructor(reason: InputFailure, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.reason = reason
  }
}

/** What goes to the stream at once: each that was taken is progress, so that a long write to a slow reader is none too long. */
const sliceBytes = 65_536

export class ProcessInput {
  readonly #stream: Writable | null
  readonly #clock: Clock
  readonly #timeoutMs: number
  readonly #pending = new Set<Deferred<void>>()
  /** Makes the failure, or gives the one that was made: most are for nobody, and an error costs its stack. */
  #failure: (() => ProcessInputError) | undefined = undefined
  #isEnded = false
  #timer: unknown = undefined

  /** @param stream null where the process could not be started */
  constructor(stream: Writable | null, clock: Clock, timeoutMs: number) {
    this.#stream = stream
    this.#clock = clock
    this.#timeoutMs = timeoutMs
    stream?.on('error', (cause: Error) => this.#fail('closed', 'it closed its stdin', cause))
    stream?.on('close', () => this.#fail('closed', 'its stdin is closed'))
    if (!stream) this.#fail('closed', 'it could not be started')
  }

  write(data: Uint8Array | string): Promise<void> {
    const written = deferred<void>()
    if (this.#isEnded || this.#failure) {
      written.reject(this.#isEnded ? failureOf('ended', 'its stdin was ended') : this.#failure!())
      return written.promise
    }
    // A caller may use its bytes again at once.
    const bytes = typeof data === 'string' ? Buffer.from(data) : Uint8Array.from(data)
    this.#pending.add(written)
    this.#watch()
    let from = 0
    do {
      const end = from + sliceBytes
      const isLast = end >= bytes.length
      this.#stream!.write(bytes.subarray(from, end), (error) => {
        // The stream's error event tells.
        if (error) return
        if (isLast) {
          this.#pending.delete(written)
          written.resolve()
        }
        this.#progress()
      })
      from = end
    } while (from < bytes.length)
    return written.promise
  }

  /** What was written before still goes out. */
  end(): void {
    if (this.#isEnded || this.#failure) return
    this.#isEnded = true
    this.#stream!.end()
  }

  destroy(): void {
    this.#stream?.destroy()
    this.#fail('closed', 'its stdin is closed')
  }

  #fail(reason: InputFailure, why: string, cause?: Error): void {
    let made: ProcessInputError | undefined
    this.#failure ??= () => (made ??= failureOf(reason, why, cause))
    for (const written of this.#pending) written.reject(this.#failure())
    this.#pending.clear()
    this.#unwatch()
    if (reason === 'timeout') this.#stream!.destroy()
  }

  #progress(): void {
    this.#unwatch()
    if (this.#pending.size > 0) this.#watch()
  }

  #watch(): void {
    if (this.#timer !== undefined) return
    const late = (): void => this.#fail('timeout', `it has read nothing for ${this.#timeoutMs} ms`)
    this.#timer = this.#clock.setTimeout(late, this.#timeoutMs)
    unref(this.#timer)
  }

  #unwatch(): void {
    if (this.#timer === undefined) return
    this.#clock.clearTimeout(this.#timer)
    this.#timer = undefined
  }
}

function failureOf(reason: InputFailure, why: string, cause?: Error): ProcessInputError {
  return new ProcessInputError(reason, `The process takes no more input: ${why}.`, cause && { cause })
}
