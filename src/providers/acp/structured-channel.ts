/**
 * How a child gives its structured result (A14): the seam between the run, which asks for it at the end, the process, which
 * the channel is opened for and goes with, and whatever makes one (structured/).
 */
import type { OutputValidator } from '../../structured/validator.ts'
import type { Clock, JsonSchema, Logger } from '../../types.ts'
import type { AgentFacts, McpServer } from './protocol.ts'

export interface StructuredChannelOptions {
  readonly runId: string
  readonly schema: JsonSchema
  readonly validator: OutputValidator
  /** What the agent said it can. */
  readonly facts: AgentFacts
  readonly clock: Clock
  readonly logger: Logger
}

export interface StructuredChannel {
  /** Passed in `session/new`. */
  readonly mcpServers: readonly McpServer[]
  /** Resolves when the child has seen the tool, or cannot be expected to; the first prompt waits for it. Never rejects. */
  readonly listed: Promise<void>
  /** Added to the first prompt of a run, as its last block. Read once `listed` has resolved: it tells of the tool, or of the text. */
  readonly instruction: string
  /** Another run goes on with the process: what was given before is not its result. */
  renew(): void
  /** Told of each update, for what it says about tool calls. */
  notice(update: { readonly [field: string]: unknown }): void
  /** True for the tool call by which the result comes: its permission is given without a question. */
  isOwnTool(toolCall: { readonly [field: string]: unknown }): boolean
  /**
   * The first valid value that was given, else the last JSON object of the text where it fits; else why there is none.
   * Asked once the turn has ended as completed. Never rejects.
   * @param text of the child
   */
  result(text: string): Promise<{ readonly value: unknown } | { readonly missing: string }>
  /** The text without what must not be told: the token of the channel. */
  hide(text: string): string
  /** Resolves when nothing of it is left. Never rejects. */
  close(): Promise<void>
}

/** Never rejects: where no server can be opened, the result is asked for as text. */
export type OpenStructuredChannel = (options: StructuredChannelOptions) => Promise<StructuredChannel>
