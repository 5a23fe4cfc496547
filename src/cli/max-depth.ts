import { UsageError } from './usage-error.ts'

/** How deep agents may delegate below the one that got the task; 0: not at all. @throws UsageError */
export function parseMaxDepth(text: string): number {
  const depth = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(depth) && depth < Number.MAX_SAFE_INTEGER) return depth
  throw new UsageError(
    `--max-depth ${text} is not a whole number, 0 or more. 0 allows no children; 1 allows children, but no children of theirs.`,
  )
}
