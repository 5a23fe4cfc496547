/** How long a script thinks before it answers: on a terminal, where a person watches; otherwise not at all (C5). */

/** Resolves when the answer is due; at once when the signal is aborted. */
export type Pause = (signal: AbortSignal | undefined) => Promise<void>

/** In milliseconds. The demo takes six answers one after another, and no more than five seconds. */
const shortest = 250
const spread = 350
/** Answers that are asked for together come one by one. */
const stride = 130

/** @param after calls back once that many milliseconds have passed; what it gives takes that back */
export function createPause(after: (milliseconds: number, callback: () => void) => () => void): Pause {
  let answers = 0
  return (signal) => {
    const pause = shortest + ((answers++ * stride) % spread)
    return new Promise((resolve) => {
      const end = () => {
        cancel()
        signal?.removeEventListener('abort', end)
        resolve()
      }
      const cancel = after(pause, end)
      if (signal?.aborted) end()
      else signal?.addEventListener('abort', end, { once: true })
    })
  }
}
