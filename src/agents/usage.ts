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

interface Count {
  readonly total?: number | undefined
  readonly cacheRead?: number | undefined
  readonly reasoning?: number | undefined
}

/** Of the specification of language models, which in version 2 has plain numbers. */
export function usageOfAnswer(usage: unknown): Usage {
  if (typeof usage !== 'object' || usage === null) return {}
  const { inputTokens, outputTokens, ...flat } = usage as Record<string, unknown>
  const input = countOf(inputTokens)
  const output = countOf(outputTokens)
  const sum = input.total === undefined && output.total === undefined ? undefined : (input.total ?? 0) + (output.total ?? 0)
  return toUsage({
    inputTokens: input.total,
    outputTokens: output.total,
    totalTokens: numberOf(flat['totalTokens']) ?? sum,
    inputTokenDetails: { cacheReadTokens: input.cacheRead ?? numberOf(flat['cachedInputTokens']) },
    outputTokenDetails: { reasoningTokens: output.reasoning ?? numberOf(flat['reasoningTokens']) },
  } as LanguageModelUsage)
}

function countOf(count: unknown): Count {
  return typeof count === 'object' && count !== null ? count : { total: numberOf(count) }
}

function numberOf(count: unknown): number | undefined {
  return typeof count === 'number' ? count : undefined
}

/** A count that neither side knows stays unknown. */
export function addUsage(sum: Usage | undefined, added: Usage): Usage {
  if (!sum) return added
  const total: Counts = { ...sum }
  for (const name of Object.keys(added) as (keyof Usage)[]) total[name] = (total[name] ?? 0) + (added[name] ?? 0)
  return total
}
