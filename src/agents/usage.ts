/** Token counts, added up. */
import type { Usage } from '../types.ts'

/** A count that neither side knows stays unknown. */
export function addUsage(sum: Usage | undefined, added: Usage): Usage {
  const total: Record<string, number> = { ...sum }
  for (const [name, count] of Object.entries(added) as [string, number | undefined][]) if (count !== undefined) total[name] = (total[name] ?? 0) + count
  return total
}
