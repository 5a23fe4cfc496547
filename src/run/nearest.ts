/** The one of `known` that was most likely meant by `typed`, if any is close enough to suggest (C7, T14). */
export function nearest(typed: string, known: readonly string[]): string | undefined {
  const wanted = typed.toLowerCase()
  const ranked = known.map((name) => ({ name, distance: distance(wanted, name.toLowerCase()) })).sort((a, b) => a.distance - b.distance)
  const best = ranked[0]
  return best && best.distance <= Math.max(1, Math.floor(best.name.length / 3)) ? best.name : undefined
}

/** Edits that turn one word into the other: insert, delete, replace, or swap two neighbours. */
function distance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  )
  const at = (i: number, j: number) => rows[i]?.[j] ?? Infinity
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : Infinity
      rows[i]![j] = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1), swapped)
    }
  }
  return at(a.length, b.length)
}
