/**
 * Waiting without a clock: for promises that are settled, and for turns of the event loop, in a number that is bounded.
 * Real time passes only for who asks for it.
 */

import { inNextTurn } from '../run/turns.ts'

/** Long enough for a chain of promises that are settled to have told so. */
const microtasks = 20
/** Long enough for streams and files of this process. */
const patientTurns = 200

/** Some turns of the event loop, for what is under way to show. */
export async function turns(count = 4): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn()
}

/**
 * Resolves to whether `condition` came to hold.
 * @param patienceMs real time to go on for once the turns are used up, for children that live outside of this process
 */
export async function until(condition: () => boolean, patienceMs: number): Promise<boolean> {
  for (let tick = 0; tick < microtasks; tick++) {
    if (condition()) return true
    await Promise.resolve()
  }
  for (let turn = 0; turn < patientTurns; turn++) {
    if (condition()) return true
    await nextTurn()
  }
  const began = performance.now()
  while (!condition()) {
    if (performance.now() - began >= patienceMs) return false
    await new Promise<void>((resolve) => setTimeout(resolve, 2))
  }
  return true
}

const nextTurn = (): Promise<void> => new Promise(inNextTurn)
