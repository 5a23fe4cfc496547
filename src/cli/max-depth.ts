import { UsageError } from './usage-error.ts'

/** How deep agents may delegate below the one that got the task; 0: not at all. @throws UsageError */
export function parseMaxDepth(text: string): number {
  const depth = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(depth) && depth < Number.MAX_SAFE_INTEGER) return depth
  throw new UsageError(`--max-depth ${text} is no whole number from 0. 0 allows no children, 1 children without children of their own.`)
}
