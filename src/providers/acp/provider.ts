/**
 * The ACP provider: each run a fresh process of the command, with this as its client (A1).
 */
import { SubagentError } from '../../errors.ts'
import { childEnvironment } from '../../processes/environment.ts'
import { contain, describeThrown } from '../../run/contain.ts'
import { copyJson } from '../../run/copy.ts'
import { invalid } from '../../run/request.ts'
import { createOutputValidator } from '../../structured/validator.ts'
import type { ContentBlock, Json, ProviderRun, ProviderStartRequest, RunContext, SubagentProvider } from '../../types.ts'
import { crossingEnvironment, crossingMeta, placeEnvironment } from './crossing.ts'
import type { SessionRequest } from './handshake.ts'
import { isObject } from './protocol.ts'
import type { AgentFacts } from './protocol.ts'
import { mergeMeta } from './merge-meta.ts'
import { checkOptions } from './options.ts'
import type { AcpProviderOptions } from './options.ts'
import { AgentPool } from './pool.ts'
import type { AcpProcess, ProcessOwner } from './process.ts'
import { AcpRun } from './run.ts'
import type { SessionSettings } from './session-settings.ts'
import { startAgent } from './start-agent.ts'
import type { AgentPlace, Launch } from './start-agent.ts'
import type { OpenStructuredChannel, StructuredChannel } from './structured-channel.ts'
import { openStructuredChannel } from './structured/channel.ts'
import { workingDirectory } from './working-directory.ts'

/** What tests put in the place of the real thing. */
export interface AcpProviderParts {
  /** @default launchProcess */
  readonly launch?: Launch
  /** @default openStructuredChannel */
  readonly openChannel?: OpenStructuredChannel
}

/**
 * A provider whose children are processes that speak the Agent Client Protocol, version 1, on stdin and stdout.
 *
 * A child gets the prompt, a working directory, an allow-list of the environment (A21), depth and lineage (A15), and nothing
 * else of its parent. Its run is ready when its session is open. `dispose` ends the process with everything it started.
 *
 * Capabilities: `outputSchema` unless `structuredOutput` is false, `depthLimit` where `honoursDepth`, `persona` and `toolFilter`
 * where `enforces` has them. What `start` throws: INVALID_REQUEST for a working directory that is none, for a model that is no
 * id, and for a schema that cannot be checked against. What goes wrong later settles the run
 * as `error`: SPAWN_FAILED, HANDSHAKE_FAILED, AUTH_REQUIRED, UNSUPPORTED_CAPABILITY, INVALID_REQUEST (an unknown model, mode or
 * option), PROTOCOL, CRASHED, IDLE_TIMEOUT, MODEL_ERROR, MAX_STEPS, NO_STRUCTURED_OUTPUT.
 *
 * @throws SubagentError INVALID_REQUEST naming the option
 *
 * @example
 * ```ts
 * const service = createSubagentService({ providers: [acpProvider({ ...knownAgents.opencode, permission: 'allow' })] })
 * const { output } = await service.delegate('opencode', { parent: rootAgent({ cwd: process.cwd() }), prompt: 'Count the TODOs.' })
 * ```
 */
export function acpProvider(options: AcpProviderOptions): SubagentProvider {
  return createAcpProvider(options)
}

/** @throws SubagentError INVALID_REQUEST naming the option */
export function createAcpProvider(options: AcpProviderOptions, parts: AcpProviderParts = {}): SubagentProvider {
  checkOptions(options)
  const { name = 'acp', enforces = {}, honoursDepth = false, structuredOutput = true } = options
  const pool =
    options.pool &&
    new AgentPool(options.pool.size, (place, owner, parent) => startAgent(options, place, owner, undefined, parent, parts.launch))
  return {
    name,
    capabilities: {
      outputSchema: structuredOutput,
      depthLimit: honoursDepth,
      toolFilter: enforces.toolFilter !== undefined,
      persona: enforces.persona !== undefined,
    },
    inheritsParentContext: false,
    signalsReady: true,
    start: (request, context) => new Child({ options, parts, pool }, request, context).start(request.prompt),
    ...(pool && { close: () => pool.close() }),
  }
}

/** What the children of one provider share. */
interface Shared {
  readonly options: AcpProviderOptions
  readonly parts: AcpProviderParts
  readonly pool: AgentPool | undefined
}

/** How the children of one request are started, and gone on with. */
class Child {
  readonly #shared: Shared
  readonly #options: AcpProviderOptions
  readonly #request: ProviderStartRequest
  readonly #context: RunContext
  readonly #cwd: string
  readonly #settings: SessionSettings
  /** Of processes that are kept ready for runs like this one. */
  readonly #place: AgentPlace | undefined
  readonly #openChannel: ((facts: AgentFacts) => Promise<StructuredChannel>) | undefined

  constructor(shared: Shared, request: ProviderStartRequest, context: RunContext) {
    const { options, parts } = shared
    this.#shared = shared
    this.#options = options
    this.#request = request
    this.#context = context
    this.#cwd = workingDirectory(options.cwd, request.parent)
    this.#settings = settingsOf(options, request)
    this.#place = shared.pool && this.#placeWith(placeEnvironment(context.resolved))
    this.#openChannel = channelOf(parts, request, context)
  }

  /** @param sessionId a session to go on with */
  start(prompt: readonly ContentBlock[], sessionId?: string): ProviderRun {
    return this.#run(prompt, this.#sessionRequest(sessionId), (owner) => this.#obtain(owner))
  }

  #run(
    prompt: readonly ContentBlock[],
    session: Omit<SessionRequest, 'mcpServers'> | undefined,
    obtain: (owner: ProcessOwner) => AcpProcess,
  ): AcpRun {
    const { name = 'acp', permission = 'reject', permissionTimeoutMs = 300_000, drainMs = 100, idleTimeoutMs } = this.#options
    return new AcpRun({
      context: this.#context,
      provider: name,
      prompt,
      permission: { policy: permission, timeoutMs: permissionTimeoutMs },
      session,
      drainMs,
      idleTimeoutMs,
      openChannel: this.#openChannel,
      obtain,
      replace: (owner) => this.#launch(owner),
      ...(this.#place && { onWorking: () => this.#shared.pool!.fill(this.#place!) }),
      resume: (agent, content, context) => this.#resume(agent, content, context),
    })
  }

  /** In a new process where the agent can go on with a session there, else in the one that is still alive (A16). */
  #resume(agent: AcpProcess | undefined, content: ContentBlock[], context: RunContext): ProviderRun {
    const next = new Child(this.#shared, this.#request, context)
    if (agent?.facts?.reopen && agent.sessionId !== undefined) return next.start(content, agent.sessionId)
    if (!agent?.isReady)
      throw new SubagentError(
        'INVALID_REQUEST',
        'The session cannot be gone on with: the agent does not load sessions, and its process has ended or went on in another run. Start a new run.',
      )
    return next.#run(content, undefined, (owner) => {
      agent.handOver(owner, context.runId, context.self)
      return agent
    })
  }

  #sessionRequest(sessionId: string | undefined): Omit<SessionRequest, 'mcpServers'> {
    const { authMethod, enforces } = this.#options
    const { persona, toolFilter } = this.#context.resolved
    return {
      cwd: this.#cwd,
      settings: this.#settings,
      meta: mergeMeta([
        crossingMeta(this.#context.resolved),
        persona !== undefined && enforces?.persona ? metaOf('enforces.persona', () => enforces.persona!(persona)) : {},
        toolFilter && enforces?.toolFilter ? metaOf('enforces.toolFilter', () => enforces.toolFilter!(toolFilter)) : {},
      ]),
      ...(authMethod !== undefined && { authMethod }),
      ...(sessionId !== undefined && { sessionId }),
    }
  }

  /** One that is kept ready, else a new one. @throws AcpFailure SPAWN_FAILED */
  #obtain(owner: ProcessOwner): AcpProcess {
    const { runId, self, logger } = this.#context
    const ready = this.#place && this.#shared.pool?.take(this.#place)
    if (!ready) return this.#launch(owner)
    ready.handOver(owner, runId, self)
    const { onStderr } = this.#options
    const said = ready.stderrTail
    if (onStderr && said !== '') contain(logger, `onStderr of ${ready.command}`, () => onStderr(Buffer.from(said), runId))
    return ready
  }

  /** @throws AcpFailure SPAWN_FAILED */
  #launch(owner: ProcessOwner): AcpProcess {
    const { runId, self, resolved } = this.#context
    return startAgent(this.#options, this.#placeWith(crossingEnvironment(resolved)), owner, runId, self, this.#shared.parts.launch)
  }

  #placeWith(crossing: Record<string, string>): AgentPlace {
    const { clock, logger } = this.#context
    return { cwd: this.#cwd, env: childEnvironment({ ...crossing, ...this.#options.env }), clock, logger }
  }
}

/** @throws SubagentError INVALID_REQUEST */
function settingsOf({ model, mode, config }: AcpProviderOptions, { agentOptions }: ProviderStartRequest): SessionSettings {
  const asked = agentOptions?.model
  if (asked !== undefined && typeof asked !== 'string')
    throw invalid('agentOptions.model', 'the id of a model that the agent knows, as a string', asked)
  const chosen = asked ?? model
  return { ...(chosen !== undefined && { model: chosen }), ...(mode !== undefined && { mode }), ...(config && { config }) }
}

/** @throws SubagentError INVALID_REQUEST naming outputSchema, where it cannot be checked against */
function channelOf(
  { openChannel = openStructuredChannel }: AcpProviderParts,
  { outputSchema }: ProviderStartRequest,
  { runId, resolved: { outputSchema: schema }, clock, logger }: RunContext,
): ((facts: AgentFacts) => Promise<StructuredChannel>) | undefined {
  if (outputSchema === undefined || schema === undefined) return undefined
  const validator = createOutputValidator(outputSchema)
  return (facts) => openChannel({ runId, schema, validator, facts, clock, logger })
}

/** What a function of `enforces` gives. @throws SubagentError INVALID_REQUEST naming the function */
function metaOf(option: string, make: () => unknown): { readonly [key: string]: Json } {
  let given: unknown
  try {
    given = copyJson(make())
  } catch (thrown) {
    throw new SubagentError('INVALID_REQUEST', `${option} must give an object that JSON can carry, and failed: ${describeThrown(thrown)}`)
  }
  if (!isObject(given) || Array.isArray(given)) throw invalid(`what ${option} gives`, 'an object for _meta', given)
  return given as { readonly [key: string]: Json }
}
