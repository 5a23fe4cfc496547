/**
 * What the edges of the run machine write into its context: who stopped the run, and the outcome that its first cause decides
 * (R4, R7–R9).
 */
import type { SubagentFailure } from '../types.ts'
import type { RunEvent, RunMachineContext, RunOutcome } from './run.ts'

const deaf: SubagentFailure = {
  code: 'DEAF',
  phase: 'settling',
  retryable: false,
  message:
    'The child did not settle within its grace after the cancel and was given up. Raise cancelGraceMs, or mend the cancel of the provider.',
}

type Decision<Params = unknown> = (
  args: { readonly context: RunMachineContext; readonly event: { readonly type: string } },
  params: Params,
) => Partial<RunMachineContext>

/** What an edge writes into the context: pure, from the context before it and the event that took it. */
export const runDecisions = {
  noteStop: ({ event }, { phase }) => ({ stop: { by: event.type === 'deadline' ? 'deadline' : 'cancel', phase } }),
  decide: ({ context, event }) => ({ outcome: decide(context, event as RunEvent) }),
} as const satisfies { noteStop: Decision<{ phase: 'starting' | 'running' }>; decide: Decision }

function decide({ stop }: RunMachineContext, event: RunEvent): RunOutcome {
  if (stop) {
    return {
      stopReason: stop.by === 'deadline' ? 'timed-out' : 'aborted',
      keep: stop.by === 'cancel' && stop.phase === 'starting' ? 'nothing' : 'output',
      ...(event.type === 'give-up' && !event.unasked && { failure: deaf }),
    }
  }
  if (event.type === 'settle') return { stopReason: event.stopReason, keep: 'output', ...(event.failure && { failure: event.failure }) }
  if (event.type === 'abort-before-start') return { stopReason: 'aborted', keep: 'nothing' }
  return { stopReason: 'error', keep: 'nothing', rejected: true }
}
