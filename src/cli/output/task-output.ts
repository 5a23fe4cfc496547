import type { SubagentLifecycleEvent, SubagentResult, Usage } from '../../types.ts'

/** How a task ended, as it is shown. */
export interface TaskOutcome {
  readonly result: SubagentResult
  /** Of all runs together. */
  readonly usage: Usage
  /** Ctrl-C ended it. */
  readonly interrupted: boolean
  /** What to do about a failure. */
  readonly hint?: string | undefined
}

/** Shows a task while it runs and when it ended: as lines for a person, or as JSON. Plain text goes where C5 says. */
export interface TaskOutput {
  /** Once, before anything else. */
  model(note: string, scripted: boolean): void
  event(event: SubagentLifecycleEvent): void
  /** Ctrl-C came, and the runs are told to stop. */
  interrupting(): void
  /** Once, after the last event. */
  end(outcome: TaskOutcome): void
}
