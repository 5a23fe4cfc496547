/** Runs by outcome, how long they took, what they used (I6). */
import type { Meter } from '@opentelemetry/api'
import type { SubagentEndEvent } from '../types.ts'
import { attribute, buckets, invokeAgent, metric, systemName } from './conventions.ts'

/** What of an end is told, in values of which there are few. */
export interface EndDimensions {
  readonly provider: string
  readonly stopReason: string
  readonly errorType: string | undefined
}

/** @returns takes one end of a run */
export function runMetrics(meter: Meter): (event: Pick<SubagentEndEvent, 'durationMs' | 'usage'>, dimensions: EndDimensions) => void {
  const runs = meter.createCounter(metric.runs, { description: 'Runs that have ended, by outcome', unit: '{run}' })
  const duration = meter.createHistogram(metric.duration, {
    description: 'From the start of a run to its end',
    unit: 's',
    advice: { explicitBucketBoundaries: [...buckets.seconds] },
  })
  const tokens = meter.createHistogram(metric.tokens, {
    description: 'Tokens that a run has used',
    unit: '{token}',
    advice: { explicitBucketBoundaries: [...buckets.tokens] },
  })
  return ({ durationMs, usage }, { provider, stopReason, errorType }) => {
    const common = { [attribute.operation]: invokeAgent, [attribute.system]: systemName, [attribute.provider]: provider }
    const outcome = { ...common, ...(errorType !== undefined && { [attribute.errorType]: errorType }) }
    runs.add(1, { ...outcome, [attribute.stopReason]: stopReason })
    duration.record(durationMs / 1000, outcome)
    if (usage?.inputTokens !== undefined) tokens.record(usage.inputTokens, { ...common, [attribute.tokenType]: 'input' })
    if (usage?.outputTokens !== undefined) tokens.record(usage.outputTokens, { ...common, [attribute.tokenType]: 'output' })
  }
}
