/**
 * The stream of messages that the SDK's connection works on (A3).
 *
 * It takes a pair of web streams, and uses one reader of the one and a writer a message of the other. Real ones cost the host
 * more than all the rest of the protocol, for transfers and back pressure that nobody has a use for here; these have what is
 * used, and no more.
 */
import { deferred } from '../../run/deferred.ts'
import type { Deferred } from '../../run/deferred.ts'

type Read<T> = { readonly done: false; readonly value: T } | { readonly done: true; readonly value: undefined }

export interface MessageStream<Incoming, Outgoing> {
  readonly readable: { getReader(): { read(): Promise<Read<Incoming>>; cancel(): Promise<void>; releaseLock(): void } }
  readonly writable: { getWriter(): { write(message: Outgoing): Promise<void>; releaseLock(): void } }
  /** Hands a message to whoever reads. After the reader cancelled it is dropped. */
  deliver(message: Incoming): void
}

/** @param write its rejection is that of the writer's `write` */
export function createMessageStream<Incoming, Outgoing>(write: (message: Outgoing) => Promise<void>): MessageStream<Incoming, Outgoing> {
  let waiting: Incoming[] = []
  let read: Deferred<Read<Incoming>> | undefined
  let isOver = false
  const end: Read<Incoming> = { done: true, value: undefined }
  const reader = {
    read(): Promise<Read<Incoming>> {
      if (isOver) return Promise.resolve(end)
      if (waiting.length > 0) return Promise.resolve({ done: false, value: waiting.shift()! })
      return (read = deferred()).promise
    },
    cancel(): Promise<void> {
      isOver = true
      waiting = []
      read?.resolve(end)
      return Promise.resolve()
    },
    releaseLock(): void {},
  }
  const writer = { write, releaseLock(): void {} }
  return {
    readable: { getReader: () => reader },
    writable: { getWriter: () => writer },
    deliver(message) {
      if (isOver) return
      if (!read) {
        waiting.push(message)
        return
      }
      const { resolve } = read
      read = undefined
      resolve({ done: false, value: message })
    },
  }
}
