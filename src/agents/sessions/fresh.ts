/** How long a look at what lies on the disk holds: what somebody did to it since is found by the next one (G8). */

/**
 * Milliseconds. A look costs as much as an addition to a session, or as a tenth of a short one; no step of a real model is so
 * quick that it would be left out between two of them.
 */
const freshFor = 100

/** Whether a look at `lookedAt` does at `now`; a clock that was set back makes none last. */
export function isFresh(lookedAt: number, now: number): boolean {
  return Math.abs(now - lookedAt) < freshFor
}
