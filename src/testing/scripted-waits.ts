/** Waits of a scripted model, each of which an abort ends. */
import type { Clock } from '../types.ts'
import { createAbortError } from './scripted-errors.ts'

/** What a request that was aborted rejects with, as `fetch` does: the reason of the abort where that is an error. */
function abortReason(signal: AbortSignal | undefined): unknown {
  return signal?.reason instanceof Error ? signal.reason : createAbortError()
}

/** Waits on `clock`; rejects when `signal` aborts. */
export async function pause(ms: number, signal: AbortSignal | undefined, clock: Clock): Promise<void> {
  if (signal?.aborted) throw abortReason(signal)
  if (ms <= 0) return
  await new Promise<void>((resolve, reject) => {
    const timer = clock.setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    const onAbort = () => {
      clock.clearTimeout(timer)
      reject(abortReason(signal))
    }
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/** Rejects when `signal` aborts, and never settles without one. */
export function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(abortReason(signal))
    signal?.addEventListener('abort', () => reject(abortReason(signal)), { once: true })
  })
}

/** The pieces; a wait for the next one ends when `signal` aborts. */
export async function* untilAborted(
  pieces: Iterable<string> | AsyncIterable<string>,
  signal: AbortSignal | undefined,
): AsyncGenerator<string> {
  if (!(Symbol.asyncIterator in pieces)) {
    yield* pieces
    return
  }
  const iterator = pieces[Symbol.asyncIterator]()
  const abort = signal && aborted(signal)
  abort?.catch(() => {})
  for (;;) {
    const { done, value } = await (abort ? Promise.race([iterator.next(), abort]) : iterator.next())
    if (done) return
    yield value
  }
}
