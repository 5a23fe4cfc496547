/**
 * How a child gives its structured result (A14): the seam between the run, which opens a channel before the session and asks
 * it at the end, and whatever makes one. Nothing makes one yet, so the provider does not claim `outputSchema`.
 */
import type { Clock, Json, JsonSchema, Logger } from '../../types.ts'
import type { AgentFacts, McpServer } from './protocol.ts'

export interface StructuredChannelOptions {
  readonly runId: string
  readonly schema: JsonSchema
  /** What the agent said it can. */
  readonly facts: AgentFacts
  readonly clock: Clock
  readonly logger: Logger
}

export interface StructuredChannel {
  /** Passed in `session/new`. */
  readonly mcpServers: readonly McpServer[]
  /** Added to the first prompt, as its last block. */
  readonly instruction?: string
  /** Resolves when the child has seen the tool; the first prompt waits for it, within the bound of the channel. */
  readonly listed?: Promise<void>
  /** True for the tool call by which the result comes: its permission is given without a question. */
  isOwnTool(toolCall: { readonly [field: string]: unknown }): boolean
  /** The first valid value that was given; else why there is none. Asked once the turn has ended as completed. @param text of the child */
  result(text: string): { readonly value: Json } | { readonly missing: string }
  /** Resolves when nothing of it is left. Must not reject. */
  close(): Promise<void>
}

export type OpenStructuredChannel = (options: StructuredChannelOptions) => Promise<StructuredChannel>
