/**
 * Callers' signals: at most one listener a signal, however many runs share it, gone with the last of them (R15).
 */
export interface AbortTarget {
  aborted(reason: unknown): void
}

export class AbortLinks {
  readonly #links = new Map<AbortSignal, { readonly targets: Set<AbortTarget>; readonly listener: () => void }>()

  link(signal: AbortSignal, target: AbortTarget): void {
    let link = this.#links.get(signal)
    if (!link) {
      const targets = new Set<AbortTarget>()
      const listener = (): void => {
        this.#links.delete(signal)
        signal.removeEventListener('abort', listener)
        for (const each of targets) each.aborted(signal.reason)
      }
      link = { targets, listener }
      this.#links.set(signal, link)
      signal.addEventListener('abort', listener)
    }
    link.targets.add(target)
  }

  unlink(signal: AbortSignal, target: AbortTarget): void {
    const link = this.#links.get(signal)
    if (!link?.targets.delete(target) || link.targets.size > 0) return
    this.#links.delete(signal)
    signal.removeEventListener('abort', link.listener)
  }

  /** Signals that are listened to. */
  get size(): number {
    return this.#links.size
  }
}
