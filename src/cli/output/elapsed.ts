/** A span of time for a person: `84ms`, `3.2s`, `2m 05s`. */
export function formatElapsed(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)}ms`
  if (milliseconds < 59_950) return `${(milliseconds / 1000).toFixed(1)}s`
  const seconds = Math.round(milliseconds / 1000)
  return `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, '0')}s`
}

/** The same for a time that is still running: in tenths of a second, so that it goes on at a pace that can be read. */
export function formatRunning(milliseconds: number): string {
  return milliseconds < 1000 ? `${(Math.floor(milliseconds / 100) / 10).toFixed(1)}s` : formatElapsed(milliseconds)
}
