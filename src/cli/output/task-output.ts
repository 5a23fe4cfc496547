import type { RunSnapshot } from '../../index.ts'
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

/** Shows a task while it runs and when it ended: as a tree or as lines for a person, or as JSON. Plain text goes where C5 says. */
export interface TaskOutput {
  /** Once, before anything else. */
  model(note: string, scripted: boolean): void
  event(event: SubagentLifecycleEvent): void
  /** Every state that a run comes into, first and last included. Absent where nothing is made of it. */
  readonly snapshot?: (snapshot: RunSnapshot) => void
  /** What a log has to say meanwhile. */
  warn(text: string): void
  /** Ctrl-C came, and the runs are told to stop. */
  interrupting(): void
  /** Once, after the last event. */
  end(outcome: TaskOutcome): void
  /** Nothing more is shown. Always, also after a fault, when there was no end. */
  close(): void
}
