/**
 * A process with everything that it started, as a teardown sees it; `UnixFamily` and `WindowsFamily` are the two kinds.
 */
import type { ProcessIdentity } from './process-table.ts'

export interface ProcessFamily {
  /** Looks who belongs to it now, and remembers them. @returns those that live, without the process itself */
  look(): Promise<readonly ProcessIdentity[]>
  /** Asks all of them to end. False where the platform has no such request. */
  terminate(): boolean
  /** Ends all of them. */
  kill(): Promise<void>
  /** Ends the process and all that it started, before it returns. */
  killNow(): void
  /** How many besides the process itself were sent a signal. */
  readonly signalled: number
}

/** The process that a family is of. */
export interface FamilyRoot {
  readonly pid: number
  readonly marker: string
  /** True until the host has heard of its end: so long its id, also as that of its group, is not given to another. */
  isRunning(): boolean
}
