/** Time taken, as a model reads it: in seconds with one digit. */
export function elapsed(ms: number): string {
  return `${(ms / 1000).toFixed(1)}s`
}
