/** What a bridge is made with, and what it is to whoever made it. */
import { childEnvironment } from '../processes/environment.ts'
import { stderrLogger, systemClock } from '../run/defaults.ts'
import { invalid } from '../run/request.ts'
import type { SubagentService } from '../service.ts'
import type { Agent, Clock, Logger, ResolvedStartRequest } from '../types.ts'

/** What the bridge needs of a service. */
export type HooksService = Pick<SubagentService, 'on' | 'getRequest'>

/** What the bridge needs of an agent. */
export type HookAgent = Pick<Agent, 'session' | 'status' | 'inject'>

/** Where children are looked up: what `createAgents` gives fits, and so does any object that asks several of them. */
export interface HookAgents {
  /** The live agent of that id. */
  get(id: string): HookAgent | undefined
  /** The file that keeps a session. @default sessions are kept nowhere */
  sessionPath?(sessionId: string): string | undefined
}

/** Which hooks are run, for the runs of which service, and with what bounds. Times are milliseconds. */
export interface HooksBridgeOptions {
  /** Whose runs have hooks. It is not closed with the bridge. */
  readonly service: HooksService
  /**
   * Hooks in Claude Code's format, `{ hooks: { SubagentStart, SubagentStop } }` or the map of events alone; or the path of a
   * file that has them, such as `.claude/settings.json`. Read once. What is wrong with it is a warning, never an error (H1).
   */
  readonly config: string | object
  /**
   * What `CLAUDE_PROJECT_DIR` is, for commands and in their environment.
   * @default the folder that has the `.claude` in which the file of hooks is; else the working directory of the child
   */
  readonly projectDir?: string
  /** What `CLAUDE_PLUGIN_ROOT` is. @default none: commands that name it are left out, with a warning */
  readonly pluginRoot?: string
  /**
   * What a child is called for matchers and hooks. `request` is what the run was started with.
   *
   * Contract: called once a run, synchronously; `undefined` and a throw, which is logged, give the default.
   * @default 'general-purpose'
   */
  readonly agentType?: (provider: string, request: ResolvedStartRequest | undefined) => string | undefined
  /**
   * The agents that children are. Without it, and for children that are none of them, no `additionalContext` is injected, the
   * session is named after the child's id, and the working directory is the parent's.
   */
  readonly agents?: HookAgents
  /**
   * Variables on top of what a hook is given of this process's environment, which is a short list of names without keys and
   * tokens; `undefined` takes one away. @default none
   */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Events whose commands run at the same time; others wait. @default 16 */
  readonly maxConcurrent?: number
  /** @default writes warnings and errors to stderr */
  readonly logger?: Logger
  /** @default the system's clock */
  readonly clock?: Clock
}

/** Whoever makes it disposes it. */
export interface HooksBridge extends AsyncDisposable {
  /**
   * Listens no more, ends what runs with everything that it started, and resolves when nothing of it is left (H7). Events
   * that waited get no hooks. Memoised; never rejects.
   */
  dispose(): Promise<void>
  /** Resolves when no hook runs or waits. Never rejects. */
  idle(): Promise<void>
}

export type CheckedOptions = HooksBridgeOptions & Required<Pick<HooksBridgeOptions, 'maxConcurrent' | 'logger' | 'clock'>>

/** @throws SubagentError INVALID_REQUEST naming the option */
export function checkBridgeOptions(options: HooksBridgeOptions): CheckedOptions {
  if (typeof options !== 'object' || options === null) throw invalid('options', 'an object with service and config', options)
  const { service, config, projectDir, pluginRoot, agentType, agents, env, maxConcurrent = 16 } = options
  if (typeof service?.on !== 'function' || typeof service.getRequest !== 'function')
    throw invalid('service', 'a service, as createSubagentService() makes it', service)
  if (typeof config === 'string' ? config === '' : typeof config !== 'object' || config === null)
    throw invalid('config', 'an object with hooks, or the path of a file', config)
  for (const [name, value] of Object.entries({ projectDir, pluginRoot }))
    if (value !== undefined && (typeof value !== 'string' || value === '')) throw invalid(name, 'the path of a directory', value)
  if (agentType !== undefined && typeof agentType !== 'function') throw invalid('agentType', 'a function', agentType)
  if (agents !== undefined && typeof agents?.get !== 'function') throw invalid('agents', 'a lookup, as createAgents() makes it', agents)
  if (!Number.isSafeInteger(maxConcurrent) || maxConcurrent < 1) throw invalid('maxConcurrent', 'a whole number from 1', maxConcurrent)
  // Of wrong names and values it tells now rather than at the first hook.
  childEnvironment(env, {})
  return { ...options, maxConcurrent, logger: options.logger ?? stderrLogger, clock: options.clock ?? systemClock }
}
