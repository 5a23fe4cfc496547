/**
 * What becomes of children when the host ends: at its exit, also by `process.exit` or an uncaught error, all that live are
 * killed with everything that they started, before it is gone (A20).
 *
 * Nothing is done about signals, since a library that listens to SIGINT or SIGTERM takes the decision from its host: a host
 * that is ended by one, or by SIGKILL, kills nobody. Its children read end-of-file from their stdin then, and go if they
 * heed it. One listener, there only while a process lives.
 */
import { killFamiliesNow } from './platform.ts'
import type { ProcessFamily } from './process-family.ts'

const live = new Set<ProcessFamily>()
const onExit = (): void => killFamiliesNow([...live])

/** @returns the end of guarding */
export function guardAtExit(family: ProcessFamily): () => void {
  if (live.size === 0) process.on('exit', onExit)
  live.add(family)
  return () => {
    if (live.delete(family) && live.size === 0) process.off('exit', onExit)
  }
}
