/**
 * What runs share: the parts of their registry that effects work on.
 */
import type { AnyActorRef } from 'xstate'
import type {
  Clock,
  Logger,
  PermissionHandler,
  ProviderRun,
  ProviderStartRequest,
  RunContext,
  SubagentRun,
  SubagentStartRequest,
} from '../types.ts'
import type { AbortLinks } from './abort-link.ts'
import type { ChildRuns } from './child-runs.ts'
import type { ParentLinks } from './parent-link.ts'
import type { RunRecord } from './record.ts'
import type { Relay } from './relay.ts'
import type { Slots } from './slots.ts'
import type { Turns } from './turns.ts'

/** How a child is begun: a provider's `start`, or the `resume` of a settled run. */
export type BeginChild = (request: ProviderStartRequest, context: RunContext) => ProviderRun

export interface RunHost {
  readonly clock: Clock
  readonly logger: Logger
  /** Decides the questions of children that nobody nearer decides (A13). */
  readonly onPermission: PermissionHandler | undefined
  readonly relay: Relay
  readonly slots: Slots
  readonly turns: Turns
  readonly abortLinks: AbortLinks
  readonly parentLinks: ParentLinks
  readonly childRuns: ChildRuns
  /** The live records by run id: a record is there from its start until its run is disposed (R5). */
  readonly records: Map<string, RunRecord>
  /** Run ids by the id of their child agent, so that a child that delegates finds its own run. */
  readonly runIdsByAgent: Map<string, string>
  /** Called when somebody reads a run's actor: from then on the actors made under `ref` are noted as the run's children. */
  watchChildren(ref: AnyActorRef): void
  /** Starts a run whose child `begin` makes. Throws as `service.start` does. */
  start(provider: string, request: SubagentStartRequest, begin?: BeginChild): SubagentRun
}
