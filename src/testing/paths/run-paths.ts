/** The paths through the run machine itself (K1). */
import { runMachine } from '../../machines/run.ts'
import type { RunEvent, RunSnapshot, RunStateValue } from '../../machines/run.ts'
import { modelPaths } from './model-paths.ts'
import type { Path, PathFilter } from './model-paths.ts'

/** A path through the run machine. */
export type RunPath = Path<RunEvent, RunStateValue>
/** Which paths through the run machine are wanted. */
export interface RunPathsOptions extends PathFilter<RunEvent['type']> {}

const variants: readonly RunEvent[] = [
  { type: 'accept' },
  { type: 'wait' },
  { type: 'slot' },
  { type: 'reject' },
  { type: 'abort-before-start' },
  { type: 'start-failed' },
  { type: 'ready' },
  { type: 'settle', stopReason: 'completed' },
  { type: 'cancel' },
  { type: 'deadline' },
  { type: 'give-up' },
  { type: 'ask', request: { id: 'permission', title: 'May I?', options: [] } },
  { type: 'answer' },
  { type: 'dispose' },
  { type: 'released' },
  { type: 'release-failed' },
]

const input = { runId: 'run', provider: 'provider', cancelGraceMs: 1, releaseGraceMs: 1, timeoutMs: 1 }

/** A run that never had a child has nothing whose release could fail; the chart alone does not know. */
function canHappen({ context: { outcome, stop } }: RunSnapshot, { type }: RunEvent): boolean {
  const childless = outcome?.keep === 'nothing' && !stop && !outcome.rejected
  return !(type === 'release-failed' && childless)
}

/**
 * The paths through the machine that every run is an actor of, `provider.start` to `disposed`: those that `describeProvider`
 * takes, as data.
 *
 * @throws SubagentError INVALID_REQUEST where an option is none
 *
 * @example
 * ```ts
 * runPaths({ kind: 'simple', event: 'give-up' }).map(({ description }) => description)
 * // 'Reaches disposed: accept → cancel → give-up → dispose → released', …
 * ```
 */
export function runPaths(options: RunPathsOptions = {}): RunPath[] {
  const events = (state: RunSnapshot): readonly RunEvent[] => variants.filter((event) => canHappen(state, event))
  return modelPaths(runMachine as never, { ...options, input, events } as never) as unknown as RunPath[]
}
