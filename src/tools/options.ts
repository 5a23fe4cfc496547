/** How a subagent tool is bound: to which provider, with which limits (T1, T13). */
import { SubagentError } from '../errors.ts'
import { checkParent, invalid } from '../run/request.ts'
import type { SubagentService } from '../service.ts'
import type { Logger, ParentAgent, SubagentStartRequest } from '../types.ts'

/** What a tool needs of a service. */
export type DelegatingService = Pick<SubagentService, 'start' | 'getProvider'>

type Configured = 'agentOptions' | 'outputSchema' | 'toolFilter' | 'persona' | 'timeoutMs' | 'cancelGraceMs' | 'releaseGraceMs'

/** What is configured of each request stands here as in a request; the model has no say in it. */
export interface SubagentToolOptions extends Pick<SubagentStartRequest, Configured> {
  readonly service: DelegatingService
  /** Name of the provider that runs the children. */
  readonly provider: string
  /** @default 'subagent' */
  readonly toolName?: string
  /** What the tool is for, as the model reads it; a sentence on what the child sees is added. @default general words */
  readonly description?: string
  /**
   * Deepest delegation allowed; 0 forbids every child. Asked for, the provider has to be registered already and to have
   * the capability `depthLimit`.
   * @default 3 where the provider has the capability when the call is made, else none
   */
  readonly maxDepth?: number
  /** Delegates where the call does not come from an agent of this package: `rootAgent()`, or one a request. */
  readonly parent?: ParentAgent
  /** Hears of releases that failed. @default writes to stderr */
  readonly logger?: Logger
}

export const defaultToolName = 'subagent'
const defaultMaxDepth = 3

/** @throws SubagentError INVALID_REQUEST; with `maxDepth` also NO_PROVIDER, UNSUPPORTED_CAPABILITY */
export function checkOptions(options: SubagentToolOptions): void {
  const { service, provider, toolName, description, maxDepth, parent } = options
  if (typeof service?.start !== 'function' || typeof service.getProvider !== 'function')
    throw invalid('service', 'what createSubagentService() gives', service)
  if (typeof provider !== 'string' || provider === '') throw invalid('provider', 'the name of a provider', provider)
  if (toolName !== undefined && (typeof toolName !== 'string' || toolName === '')) throw invalid('toolName', 'a non-empty string', toolName)
  if (description !== undefined && (typeof description !== 'string' || description === ''))
    throw invalid('description', 'a non-empty string', description)
  if (parent !== undefined) checkParent(parent)
  if (maxDepth === undefined) return
  if (!Number.isSafeInteger(maxDepth) || maxDepth < 0 || Object.is(maxDepth, -0))
    throw invalid('maxDepth', 'a whole number from 0', maxDepth)
  const name = JSON.stringify(provider)
  const registered = service.getProvider(provider)
  if (!registered)
    throw new SubagentError(
      'NO_PROVIDER',
      `The tool asks for maxDepth, and no provider is named ${name} that could be asked whether it honours one. Register it before the tool is made, or leave maxDepth out.`,
    )
  if (!registered.capabilities.depthLimit)
    throw new SubagentError(
      'UNSUPPORTED_CAPABILITY',
      `Provider ${name} cannot honour maxDepth (its capability depthLimit is false): its children manage their own depth. Leave maxDepth out.`,
    )
}

/** The limit of a call: what was asked for, else the default where the provider can honour one. */
export function depthLimitOf({ service, provider, maxDepth }: SubagentToolOptions): number | undefined {
  return maxDepth ?? (service.getProvider(provider)?.capabilities.depthLimit ? defaultMaxDepth : undefined)
}
