/**
 * The ladder: end of stdin, SIGTERM, SIGKILL, each after the grace of the one before, then the sweep (A19). Before each step
 * it looks who belongs to the process, since whoever loses a parent is found by that no more.
 */
import type { Clock } from '../types.ts'
import type { CloseStep } from './launched-process.ts'
import type { ProcessFamily } from './process-family.ts'
import type { ProcessIdentity } from './process-table.ts'
import { isWithin, lookAfter, lookUntil } from './wait.ts'

/** How long processes may take to be gone after SIGKILL: more than that is a system that does not answer. */
export const killGraceMs = 2000
/** Between the two looks that have to find nobody after a kill. */
export const confirmMs = 10

export interface TeardownOptions {
  readonly family: ProcessFamily
  /** Resolves at the end of the process itself. */
  readonly ended: Promise<unknown>
  isRunning(): boolean
  endInput(): void
  readonly clock: Clock
  readonly eofGraceMs: number
  readonly termGraceMs: number
}

export interface TeardownOutcome {
  readonly by: CloseStep
  readonly left: readonly ProcessIdentity[]
}

export async function tearDown(options: TeardownOptions): Promise<TeardownOutcome> {
  const { family, ended, isRunning, endInput, clock, eofGraceMs, termGraceMs } = options
  let by: CloseStep = 'itself'
  /** The end of the grace that SIGTERM gives to all of them, whoever was asked first. */
  let termUntil: number | undefined
  const terminate = (): void => {
    if (termUntil === undefined && family.terminate()) termUntil = clock.now() + termGraceMs
  }

  let members = await family.look()
  if (isRunning()) {
    by = 'eof'
    endInput()
    await isWithin(clock, eofGraceMs, ended)
    members = await family.look()
  }
  if (isRunning()) {
    terminate()
    if (termUntil !== undefined) {
      by = 'term'
      await isWithin(clock, termGraceMs, ended)
      members = await family.look()
    }
  }
  if (isRunning()) {
    by = 'kill'
    await family.kill()
    await isWithin(clock, killGraceMs, ended)
    members = await family.look()
  }

  // Those that it left behind. Their stdin was its own, or none.
  const isGone = (living: readonly ProcessIdentity[]): boolean => living.length === 0
  const look = (): Promise<readonly ProcessIdentity[]> => family.look()
  if (!isGone(members)) {
    terminate()
    if (termUntil !== undefined) members = await lookUntil(clock, termUntil - clock.now(), look, isGone)
  }
  if (!isGone(members)) {
    const until = clock.now() + killGraceMs
    const killAndLook = async (): Promise<readonly ProcessIdentity[]> => {
      await family.kill()
      return look()
    }
    members = await lookUntil(clock, killGraceMs, killAndLook, isGone)
    // A process that starts the next and ends can be between two at a look: nobody is gone before two looks found nobody.
    while (isGone(members) && clock.now() < until) {
      const confirmed = await lookAfter(clock, confirmMs, look)
      if (isGone(confirmed)) break
      members = await lookUntil(clock, Math.max(0, until - clock.now()), killAndLook, isGone)
      // Time is over, and the last that was seen has not been found gone twice.
      if (clock.now() >= until && isGone(members)) members = confirmed
    }
  }
  return { by, left: members }
}
