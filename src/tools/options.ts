/** How a subagent tool is bound: to which children, with which limits (T1, T11–T15). */
import type { SubagentService } from '../service.ts'
import type { AgentOptions, Clock, Logger, ParentAgent, SubagentStartRequest } from '../types.ts'
import type { SubagentNotice } from './background/notice.ts'

/** What a tool needs of a service. */
export type DelegatingService = Pick<SubagentService, 'start' | 'getProvider' | 'on'> & Partial<Pick<SubagentService, 'resume'>>

type Configured = 'agentOptions' | 'outputSchema' | 'toolFilter' | 'persona' | 'timeoutMs' | 'cancelGraceMs' | 'releaseGraceMs'

/** One of the agents that a model may choose from (T14). */
export interface SubagentToolAgent {
  /** What the model calls it by; unique in its list. */
  readonly name: string
  /** Name of the provider that runs it. */
  readonly provider: string
  /** What it is good for, as the model reads it. */
  readonly description: string
  /** Its system prompt, in place of the tool's `persona`. The provider needs the capability. */
  readonly persona?: string
  /** Which tools it sees, in place of the tool's `toolFilter`. The provider needs the capability. */
  readonly toolFilter?: NonNullable<SubagentStartRequest['toolFilter']>
  /** A model id, or a model object of the AI SDK, in place of the one in `agentOptions`. */
  readonly model?: AgentOptions['model']
}

/**
 * What is configured of each request stands here as in a request; the model has no say in it. Either `provider` or `agents`
 * says who the children are.
 */
export interface SubagentToolOptions extends Pick<SubagentStartRequest, Configured> {
  /** Whose providers run the children; it stays its owner's to close. */
  readonly service: DelegatingService
  /** Name of the provider that runs the children. */
  readonly provider?: string
  /** Agents that the model chooses from, in place of `provider`; those whose provider is not registered are left out (T14). */
  readonly agents?: readonly SubagentToolAgent[]
  /** @default 'subagent' */
  readonly toolName?: string
  /** What the tool is for, as the model reads it; sentences on what the children see are added. @default general words */
  readonly description?: string
  /**
   * Deepest delegation allowed; 0 forbids every child. Asked for, each provider has to be registered already and to have
   * the capability `depthLimit`.
   * @default 3 where the provider has the capability when the call is made, else none
   */
  readonly maxDepth?: number
  /** Delegates where the call does not come from an agent of this package: `rootAgent()`, or one a request. */
  readonly parent?: ParentAgent
  /**
   * The most that one answer may hold, in bytes of UTF-8, from 1024. What is larger is cut to its head and its tail, with a
   * mark that says how much is missing (T12).
   * @default 65536
   */
  readonly maxOutputBytes?: number
  /**
   * Lets the model start a run and go on; it needs the controls beside the tool, so it is for `subagentTools()` and
   * `mountSubagentTool()` (T11).
   * @default false
   */
  readonly background?: boolean | SubagentBackgroundOptions
  /**
   * Whether calls as AI SDK tools tell what their child does while it runs, and how often at most (T15).
   * @default every 100 ms; not at all where an agent of `createAgents()` calls, which shows it to nobody
   */
  readonly progress?: boolean | { readonly intervalMs?: number }
  /** Measures progress, waiting and elapsed time. @default the system's clock */
  readonly clock?: Clock
  /** Hears of releases that failed, and of callbacks that threw. @default writes to stderr */
  readonly logger?: Logger
}

/** What is kept of runs in the background, and who is told of their ends. */
export interface SubagentBackgroundOptions {
  /**
   * How many outcomes of ended runs are kept for each parent; of older ones it is only known that there were such.
   * @default 100
   */
  readonly keepEnded?: number
  /** The longest that one call of `subagent_result` may wait. @default 600000 */
  readonly maxWaitMs?: number
  /**
   * Takes the notices of parents that have no `inject`: `rootAgent()`, agents of other frameworks.
   *
   * Contract: called once for each end; what it throws or rejects with is logged and changes nothing.
   * @default they are told by the next `subagent_list` or `subagent_result`
   */
  readonly onNotice?: (notice: SubagentNotice) => unknown
}

export const defaultToolName = 'subagent'
export const defaultMaxDepth = 3
export const defaultMaxOutputBytes = 64 * 1024
export const leastMaxOutputBytes = 1024
export const defaultKeepEnded = 100
export const defaultMaxWaitMs = 600_000
export const defaultProgressIntervalMs = 100
