/**
 * Questions of children for a permission that a person answers, in the page or elsewhere (I3, A13).
 *
 * Invariant: every question has one answer: the first that was given, or none once its signal has aborted or the desk is closed.
 */
import type { PermissionAnswer, PermissionRequest } from '../../types.ts'

/** Where a page learns what waits for an answer, and takes answers to. */
export interface PagePermissions {
  /** Those that wait, the oldest first. */
  pending(): readonly PendingPermission[]
  /** @returns false where that question does not wait, or has no such option */
  answer(runId: string, requestId: string, optionId: string): boolean
  /** Calls `changed` after every change of what waits. Contract: it must not throw. @returns stops that */
  subscribe(changed: () => void): () => void
}

/** A question that waits for an answer, and the run that it belongs to. */
export interface PendingPermission {
  /** With the request's id what `answer` takes. */
  readonly runId: string
  /** As the child asked it; the choices are its `options`. */
  readonly request: PermissionRequest
}

export interface PermissionDesk extends PagePermissions, Disposable {
  /** Puts a question. @returns the answer; `undefined` where there will be none. Never rejects */
  ask(question: PendingPermission, signal?: AbortSignal): Promise<PermissionAnswer | undefined>
  /** Leaves every question without an answer, also those to come. Idempotent. */
  close(): void
}

/** A desk where questions wait until somebody answers. Whoever makes one closes it. */
export function createPermissionDesk(): PermissionDesk {
  const waiting = new Map<PendingPermission, (answer: PermissionAnswer | undefined) => void>()
  const listeners = new Set<() => void>()
  let closed = false
  const changed = () => {
    for (const listener of listeners) listener()
  }
  const decide = (question: PendingPermission, answer: PermissionAnswer | undefined): boolean => {
    const resolve = waiting.get(question)
    if (!resolve) return false
    waiting.delete(question)
    resolve(answer)
    changed()
    return true
  }
  const close = () => {
    closed = true
    for (const question of waiting.keys()) decide(question, undefined)
  }
  return {
    pending: () => [...waiting.keys()],
    answer: (runId, requestId, optionId) => {
      for (const question of waiting.keys()) {
        const { request } = question
        if (question.runId === runId && request.id === requestId && request.options.some(({ id }) => id === optionId))
          return decide(question, { optionId })
      }
      return false
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    ask: ({ runId, request }, signal) => {
      if (closed || signal?.aborted) return Promise.resolve(undefined)
      const question = { runId, request }
      const answered = new Promise<PermissionAnswer | undefined>((resolve) => waiting.set(question, resolve))
      const withdraw = () => void decide(question, undefined)
      signal?.addEventListener('abort', withdraw, { once: true })
      changed()
      return answered.finally(() => signal?.removeEventListener('abort', withdraw))
    },
    close,
    [Symbol.dispose]: close,
  }
}
