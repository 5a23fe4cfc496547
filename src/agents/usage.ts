/** Token counts, as the AI SDK has them and as a run does. */
import type { LanguageModelUsage } from 'ai'
import type { Usage } from '../types.ts'

type Counts = { -readonly [Key in keyof Usage]: Usage[Key] }

export function toUsage({ inputTokens, outputTokens, totalTokens, inputTokenDetails, outputTokenDetails }: LanguageModelUsage): Usage {
  const usage: Counts = {}
  if (inputTokens !== undefined) usage.inputTokens = inputTokens
  if (outputTokens !== undefined) usage.outputTokens = outputTokens
  if (totalTokens !== undefined) usage.totalTokens = totalTokens
  if (outputTokenDetails?.reasoningTokens !== undefined) usage.reasoningTokens = outputTokenDetails.reasoningTokens
  if (inputTokenDetails?.cacheReadTokens !== undefined) usage.cachedInputTokens = inputTokenDetails.cacheReadTokens
  return usage
}

/** A count that neither side knows stays unknown. */
export function addUsage(sum: Usage | undefined, added: Usage): Usage {
  if (!sum) return added
  const total: Counts = { ...sum }
  for (const name of Object.keys(added) as (keyof Usage)[]) total[name] = (total[name] ?? 0) + (added[name] ?? 0)
  return total
}
