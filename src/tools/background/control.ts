/** What the controls of runs in the background have in common (T11). */
import type { ParentAgent } from '../../types.ts'
import type { Binding } from '../binding.ts'
import type { SubagentToolResult } from '../outcome.ts'
import type { Book } from './book.ts'
import type { BackgroundRun } from './run.ts'

/** One call of a control, its parent known and its input checked as far as all have it in common. */
export interface ControlCall {
  readonly binding: Binding
  /** Who calls. */
  readonly parent: ParentAgent
  readonly book: Book
  readonly input: { readonly [name: string]: unknown }
  readonly signal: AbortSignal | undefined
}

/** Does what is asked of one run. What it throws becomes an error result. */
export type RunControl = (run: BackgroundRun, call: ControlCall) => SubagentToolResult | Promise<SubagentToolResult>

/** How long `subagent_result` waits where the model does not say. */
export const defaultWaitMs = 60_000
