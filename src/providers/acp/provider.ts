/**
 * The ACP provider: each run a fresh process of the command, with this as its client (A1).
 */
import { basename } from 'node:path'
import { SubagentError } from '../../errors.ts'
import { childEnvironment } from '../../processes/environment.ts'
import { launchProcess } from '../../processes/launch.ts'
import type { LaunchedProcess, LaunchOptions } from '../../processes/launched-process.ts'
import { describeThrown } from '../../run/contain.ts'
import { invalid } from '../../run/request.ts'
import { createOutputValidator } from '../../structured/validator.ts'
import type { ContentBlock, ProviderRun, ProviderStartRequest, RunContext, SubagentProvider } from '../../types.ts'
import { crossingEnvironment, crossingMeta } from './crossing.ts'
import { AcpFailure, createRedactor } from './failure.ts'
import type { SessionRequest } from './handshake.ts'
import type { AgentFacts } from './protocol.ts'
import { mergeMeta } from './merge-meta.ts'
import { checkOptions } from './options.ts'
import type { AcpProviderOptions } from './options.ts'
import { AcpProcess } from './process.ts'
import type { ProcessOwner } from './process.ts'
import { AcpRun } from './run.ts'
import type { SessionSettings } from './session-settings.ts'
import type { OpenStructuredChannel, StructuredChannel } from './structured-channel.ts'
import { openStructuredChannel } from './structured/channel.ts'
import { workingDirectory } from './working-directory.ts'

/** What tests put in the place of the real thing. */
export interface AcpProviderParts {
  /** @default launchProcess */
  readonly launch?: (options: LaunchOptions) => LaunchedProcess
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
    start: (request, context) => new Child(options, parts, request, context).start(request.prompt),
  }
}

/** How the children of one request are started, and gone on with. */
class Child {
  readonly #options: AcpProviderOptions
  readonly #parts: AcpProviderParts
  readonly #request: ProviderStartRequest
  readonly #context: RunContext
  readonly #cwd: string
  readonly #settings: SessionSettings
  readonly #openChannel: ((facts: AgentFacts) => Promise<StructuredChannel>) | undefined

  constructor(options: AcpProviderOptions, parts: AcpProviderParts, request: ProviderStartRequest, context: RunContext) {
    this.#options = options
    this.#parts = parts
    this.#request = request
    this.#context = context
    this.#cwd = workingDirectory(options.cwd, request.parent)
    this.#settings = settingsOf(options, request)
    this.#openChannel = channelOf(parts, request, context)
  }

  /** @param sessionId a session to go on with */
  start(prompt: readonly ContentBlock[], sessionId?: string): ProviderRun {
    return this.#run(prompt, this.#sessionRequest(sessionId), (owner) => this.#launch(owner))
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
      resume: (agent, content, context) => this.#resume(agent, content, context),
    })
  }

  /** In a new process where the agent can go on with a session there, else in the one that is still alive (A16). */
  #resume(agent: AcpProcess | undefined, content: ContentBlock[], context: RunContext): ProviderRun {
    const next = new Child(this.#options, this.#parts, this.#request, context)
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
        persona !== undefined && enforces?.persona ? enforces.persona(persona) : {},
        toolFilter && enforces?.toolFilter ? enforces.toolFilter(toolFilter) : {},
      ]),
      ...(authMethod !== undefined && { authMethod }),
      ...(sessionId !== undefined && { sessionId }),
    }
  }

  /** @throws AcpFailure SPAWN_FAILED */
  #launch(owner: ProcessOwner): AcpProcess {
    const { command: program, args = [], eofGraceMs, termGraceMs, handshakeTimeoutMs = 60_000, onStderr } = this.#options
    const { launch = launchProcess } = this.#parts
    const { clock, logger, runId, resolved, self } = this.#context
    const env = childEnvironment({ ...crossingEnvironment(resolved), ...this.#options.env })
    const command = [basename(program), ...args].join(' ')
    const safe = createRedactor(env)
    let launched: LaunchedProcess
    try {
      launched = launch({
        command: program,
        args,
        cwd: this.#cwd,
        env,
        clock,
        logger,
        ...(eofGraceMs !== undefined && { eofGraceMs }),
        ...(termGraceMs !== undefined && { termGraceMs }),
        ...(onStderr && { onStderr: (chunk) => onStderr(chunk, runId) }),
      })
    } catch (thrown) {
      throw new AcpFailure('SPAWN_FAILED', safe(`The agent ${command} could not be started: ${describeThrown(thrown)}`))
    }
    return new AcpProcess({ launched, command, program: basename(program), handshakeTimeoutMs, clock, logger, safe }, owner, runId, self)
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
