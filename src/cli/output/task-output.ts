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

/** The terminal, for one question; the text is clean and fit to be shown. */
export interface HeldOutput {
  write(text: string): void
  /** The cursor is at the start of a line. */
  letGo(): void
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
  /** Shows nothing else before it is let go: a question is asked. */
  hold(): HeldOutput
  /** Ctrl-C came, and the runs are told to stop. */
  interrupting(): void
  /** Once, after the last event. */
  end(outcome: TaskOutcome): void
  /** Nothing more is shown. Always, also after a fault, when there was no end. */
  close(): void
}
