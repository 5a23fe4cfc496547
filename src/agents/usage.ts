/** Token counts, as the AI SDK has them and as a run does. */
import type { LanguageModelUsage } from 'ai'
import type { Usage } from '../types.ts'

export function toUsage(usage: LanguageModelUsage): Usage {
  const { inputTokens, outputTokens, totalTokens } = usage
  const reasoningTokens = usage.outputTokenDetails?.reasoningTokens
  const cachedInputTokens = usage.inputTokenDetails?.cacheReadTokens
  return {
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(totalTokens !== undefined && { totalTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    ...(cachedInputTokens !== undefined && { cachedInputTokens }),
  }
}

/** A count that neither side knows stays unknown. */
export function addUsage(sum: Usage | undefined, added: Usage): Usage {
  const total: Record<string, number> = { ...sum }
  for (const [name, count] of Object.entries(added) as [string, number | undefined][]) if (count !== undefined) total[name] = (total[name] ?? 0) + count
  return total
}
