/** Servers for viewers: on loopback alone, and gone when they are closed, whatever a viewer does. */
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SubagentError } from '../errors.ts'
import { reasonOf } from '../run/system-errors.ts'
import type { Clock } from '../types.ts'

/** What a viewer has not taken by then, in milliseconds, it does without. */
const patienceMs = 500

/**
 * @param port 0 for one that is free
 * @returns the port
 * @throws SubagentError INVALID_REQUEST where it cannot be had
 */
export async function listenOnLoopback(server: Server, port: number): Promise<number> {
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  } catch (cause) {
    throw new SubagentError(
      'INVALID_REQUEST',
      `port ${port} of 127.0.0.1 cannot be had: ${reasonOf(cause)} Leave port out for one that is free.`,
      { cause },
    )
  }
  return (server.address() as AddressInfo).port
}

/**
 * @param clock measures how long viewers are waited for
 * @param cutOff those that the server itself does not know of
 * @returns when the server holds nothing more
 */
export async function closeServer(server: Server, clock: Clock, cutOff?: () => void): Promise<void> {
  const gone = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  const patience = clock.setTimeout(() => {
    cutOff?.()
    server.closeAllConnections()
  }, patienceMs)
  await gone
  clock.clearTimeout(patience)
}
