/** A row of the table: what an agent does wrong, and what its caller gets (A25). */
import type { AcpProviderOptions } from '../../../../src/providers/acp/index.ts'
import type { Json, SubagentFailure, SubagentStopReason, SubagentUpdateContent } from '../../../../src/index.ts'

export interface Misbehaviour {
  /** Of the fixture, test/fixtures/acp/misbehaving/. */
  readonly mode: string
  /** Number of the row in the catalogue. */
  readonly row: number
  readonly does: string
  /** What the fixture is run with. */
  readonly options?: Partial<AcpProviderOptions>
  readonly timeoutMs?: number
  readonly cancelGraceMs?: number
  /** How many characters the prompt has. @default a few */
  readonly promptCharacters?: number
  /** The caller asks for a structured result, `{ answer: number }`. */
  readonly wantsResult?: true
  /** What the caller does once the text that came so far is that, or once a permission is asked for. */
  readonly when?: { readonly seen: 'permission' | { readonly text: string }; readonly then: 'cancel' | 'send a message' }
  readonly gives: Outcome
}

export interface Outcome {
  readonly stopReason: SubagentStopReason
  readonly failure?: Pick<SubagentFailure, 'code' | 'phase' | 'retryable'>
  /** The text of each block, or its size and its end. */
  readonly text: readonly string[] | { readonly characters: number; readonly end: string }
  readonly structured?: Json
  /** What the diagnostic says, among other things, in this order; where there is nothing, there is no diagnostic. */
  readonly says?: readonly string[]
  /** What the logger is warned of. */
  readonly warns?: string
  /** How many updates of a kind are heard. */
  readonly updates?: { readonly [Kind in SubagentUpdateContent['type']]?: number }
  /** How many of them the bounded buffer of the run lets go. @default not looked at */
  readonly droppedUpdates?: number
  /** From `start` to the outcome: not before and, on a machine with time, not long after. Milliseconds. */
  readonly afterMs?: number
  /** What ends the process: itself, the end of its stdin, SIGTERM or SIGKILL. */
  readonly endedBy: 'itself' | 'eof' | 'term' | 'kill'
  /** What `dispose` takes at most, on a machine with time, in milliseconds. @default 500 */
  readonly disposeMs?: number
}
