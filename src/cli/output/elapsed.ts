/** A span of time for a person: `84ms`, `3.2s`, `2m 05s`. */
export function formatElapsed(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)}ms`
  if (milliseconds < 59_950) return `${(milliseconds / 1000).toFixed(1)}s`
  const seconds = Math.round(milliseconds / 1000)
  return `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, '0')}s`
}
