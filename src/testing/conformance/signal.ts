/** The caller's side of a signal: a controller that counts who listens (R15). */
export interface CountedController {
  readonly signal: AbortSignal
  abort(reason?: unknown): void
  /** Listeners that were added and neither removed nor called. */
  readonly listeners: number
}

export function countedController(): CountedController {
  const controller = new AbortController()
  const { signal } = controller
  const listening = new Set<unknown>()
  const add = signal.addEventListener.bind(signal) as (...args: unknown[]) => void
  const remove = signal.removeEventListener.bind(signal) as (...args: unknown[]) => void
  Object.assign(signal, {
    addEventListener: (type: string, listener: unknown, options?: unknown) => {
      listening.add(listener)
      add(type, listener, options)
    },
    removeEventListener: (type: string, listener: unknown, options?: unknown) => {
      listening.delete(listener)
      remove(type, listener, options)
    },
  })
  return {
    signal,
    abort: (reason) => controller.abort(reason),
    get listeners() {
      return listening.size
    },
  }
}
