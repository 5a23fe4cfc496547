/** A tool's options, checked, with every default filled in, and the children it may start (T1, T14). */
import { stderrLogger, systemClock } from '../run/defaults.ts'
import type { Clock, Logger, ParentAgent, SubagentProvider } from '../types.ts'
import { boundAgents } from './bound-agents.ts'
import type { BoundAgent } from './bound-agents.ts'
import { checkOptions } from './check-options.ts'
import {
  defaultKeepEnded,
  defaultMaxDepth,
  defaultMaxOutputBytes,
  defaultMaxWaitMs,
  defaultProgressIntervalMs,
  defaultToolName,
} from './options.ts'
import type { DelegatingService, SubagentBackgroundOptions, SubagentToolOptions } from './options.ts'

export interface Binding {
  readonly service: DelegatingService
  readonly toolName: string
  readonly description: string | undefined
  readonly agents: readonly BoundAgent[]
  /** The model chooses one of a list. */
  readonly hasChoice: boolean
  readonly maxDepth: number | undefined
  readonly parent: ParentAgent | undefined
  readonly maxOutputBytes: number
  readonly background: (Required<Omit<SubagentBackgroundOptions, 'onNotice'>> & Pick<SubagentBackgroundOptions, 'onNotice'>) | undefined
  /** Undefined where nothing is to be told; asked for, it is told also where it is likely that nobody looks. */
  readonly progress: { readonly intervalMs: number; readonly isAsked: boolean } | undefined
  readonly clock: Clock
  readonly logger: Logger
}

/** @throws SubagentError as {@link checkOptions} does */
export function bind(options: SubagentToolOptions): Binding {
  checkOptions(options)
  const { service, toolName = defaultToolName, maxOutputBytes = defaultMaxOutputBytes, background = false, progress } = options
  const { keepEnded = defaultKeepEnded, maxWaitMs = defaultMaxWaitMs, onNotice } = typeof background === 'object' ? background : {}
  const { intervalMs = defaultProgressIntervalMs } = typeof progress === 'object' ? progress : {}
  return {
    service,
    toolName,
    description: options.description,
    agents: boundAgents(options),
    hasChoice: options.agents !== undefined,
    maxDepth: options.maxDepth,
    parent: options.parent,
    maxOutputBytes,
    background: background === false ? undefined : { keepEnded, maxWaitMs, ...(onNotice && { onNotice }) },
    progress: progress === false ? undefined : { intervalMs, isAsked: progress !== undefined },
    clock: options.clock ?? systemClock,
    logger: options.logger ?? stderrLogger,
  }
}

/** The children that could be started now: those whose provider is registered. */
export function availableAgents({ agents, service }: Binding): readonly BoundAgent[] {
  return agents.filter(({ provider }) => service.getProvider(provider) !== undefined)
}

/** The providers as they are registered now, in the order of the agents: what a tool looks like depends on nothing else. */
export function providersOf({ agents, service }: Binding): readonly (SubagentProvider | undefined)[] {
  return agents.map(({ provider }) => service.getProvider(provider))
}

/** The limit of a call: what was asked for, else the default where the provider can honour one (T13). */
export function depthLimitOf({ service, maxDepth }: Binding, { provider }: BoundAgent): number | undefined {
  return maxDepth ?? (service.getProvider(provider)?.capabilities.depthLimit ? defaultMaxDepth : undefined)
}
