/** Roughly how much memory a value takes, in characters: to bound what is kept, not to account for it. */
import type { SubagentUpdateContent } from '../types.ts'

/** What an object, a field or an item costs beside its text. */
const overhead = 16

/** Deeper than this nothing is counted, so that no stack overflows. */
const maxDepth = 100

export function estimateSize(value: unknown, depth = 0): number {
  if (typeof value === 'string') return overhead + value.length
  if (typeof value !== 'object' || value === null || depth > maxDepth) return overhead
  if (ArrayBuffer.isView(value)) return overhead + value.byteLength
  let size = overhead
  if (Array.isArray(value)) for (const item of value) size += estimateSize(item, depth + 1)
  else for (const key of Object.keys(value)) size += key.length + estimateSize((value as Record<string, unknown>)[key], depth + 1)
  return size
}

/** Text, which is most of them, costs no walk. */
export function sizeOfUpdate(update: SubagentUpdateContent): number {
  return update.type === 'text' || update.type === 'thought' ? overhead + update.text.length : estimateSize(update)
}
