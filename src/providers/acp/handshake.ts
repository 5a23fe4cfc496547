/**
 * From a process to a session (A7, A8): `initialize` with the one version that is spoken, `session/new` or the session of
 * before, its settings.
 */
import { clientInfo } from './client-info.ts'
import { AcpFailure, wordsOfData } from './failure.ts'
import { AgentError } from './peer.ts'
import type { AcpProcess } from './process.ts'
import { authRequired, fields, isObject, protocolVersion, readAgentFacts, text } from './protocol.ts'
import type { AuthMethod, McpServer } from './protocol.ts'
import { applySettings } from './session-settings.ts'
import type { SessionSettings } from './session-settings.ts'

export interface SessionRequest {
  readonly cwd: string
  readonly mcpServers: readonly McpServer[]
  readonly meta: { readonly [key: string]: unknown }
  readonly settings: SessionSettings
  /** The method that the user set up for a login. */
  readonly authMethod?: string
  /** A session to go on with, in place of a new one. */
  readonly sessionId?: string
}

/** @throws AcpFailure */
export async function initialize(agent: AcpProcess): Promise<void> {
  const params = {
    protocolVersion,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: clientInfo(),
  }
  const response = await inStage(agent, 'initialize', () => agent.stage('initialize', params))
  if (!isObject(response)) throw unusable(agent, 'initialize', response)
  if (response.protocolVersion !== protocolVersion)
    throw new AcpFailure(
      'HANDSHAKE_FAILED',
      `The agent ${agent.command} answered initialize with protocol version ${JSON.stringify(response.protocolVersion)}; only ${protocolVersion} is spoken here. Use a version of the agent that speaks it.`,
    )
  agent.initialized(readAgentFacts(response))
}

/** @throws AcpFailure */
export async function openSession(agent: AcpProcess, request: SessionRequest): Promise<void> {
  const { cwd, mcpServers, meta, settings, sessionId: known } = request
  const reopen = known === undefined ? undefined : agent.facts?.reopen
  const method = reopen ?? 'session/new'
  const params = { cwd, mcpServers, _meta: meta, ...(reopen && { sessionId: known }) }
  const open = (): Promise<unknown> => agent.stage(method, params, { resets: true })
  const ask = (): Promise<unknown> => inStage(agent, method, () => withLogin(agent, request.authMethod, open))
  const response = reopen ? await agent.whileReplaying(ask) : await ask()
  // The answer to session/load may be empty: all it says is that it is done.
  const session = reopen && (response === null || response === undefined) ? {} : response
  if (!isObject(session)) throw unusable(agent, method, response)
  const sessionId = reopen ? known : text(session.sessionId)
  if (sessionId === undefined || sessionId === '') throw unusable(agent, method, response)
  agent.adoptSession(sessionId)
  await inStage(agent, 'the settings of the session', () =>
    applySettings(settings, session, sessionId, (setting, value) => agent.stage(setting, value)),
  )
  agent.opened()
}

/** Logs in once, by the method that was set up, where the agent wants a login. */
async function withLogin(agent: AcpProcess, methodId: string | undefined, open: () => Promise<unknown>): Promise<unknown> {
  try {
    return await open()
  } catch (error) {
    if (!wantsLogin(error) || methodId === undefined) throw error
    const methods = agent.facts?.authMethods ?? []
    if (!methods.some(({ id }) => id === methodId))
      throw loginFailure(agent.command, methods, `The method ${JSON.stringify(methodId)} that was set up is none of them.`)
    await agent.stage('authenticate', { methodId })
    return await open()
  }
}

/** What goes wrong in a stage, as a failure that names it. */
async function inStage<T>(agent: AcpProcess, stage: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw stageFailure(agent, stage, error)
  }
}

function stageFailure(agent: AcpProcess, stage: string, error: unknown): AcpFailure {
  const { command, facts } = agent
  if (wantsLogin(error)) return loginFailure(command, facts?.authMethods ?? [], (error as AgentError).message)
  if (error instanceof AgentError)
    return new AcpFailure('HANDSHAKE_FAILED', `The agent ${command} answered ${stage} with error ${error.code}: ${error.message}`, {
      details: wordsOfData(error.data, error.message),
    })
  if (!(error instanceof AcpFailure)) throw error
  if (error.code !== 'CRASHED' && error.code !== 'PROTOCOL') return error
  return new AcpFailure('HANDSHAKE_FAILED', `${error.message} That was in ${stage}.`)
}

export function wantsLogin(error: unknown): error is AgentError {
  return error instanceof AgentError && error.code === authRequired
}

export function loginFailure(command: string, methods: readonly AuthMethod[], reason: string): AcpFailure {
  const offered = methods.map(({ id, name }) =>
    name === undefined || name === id ? JSON.stringify(id) : `${JSON.stringify(id)} (${name})`,
  )
  const ways = offered.length > 0 ? `It knows these ways: ${offered.join(', ')}` : 'It names no way to do so'
  return new AcpFailure(
    'AUTH_REQUIRED',
    `The agent ${command} wants a login: ${/[.!?]$/.test(reason) ? reason : `${reason}.`} ${ways}. Log in with its own command, or name one as authMethod; no browser is opened from here.`,
  )
}

function unusable({ command }: AcpProcess, method: string, response: unknown): AcpFailure {
  const seen = isObject(response) ? `an object of ${Object.keys(fields(response)).join(', ') || 'nothing'}` : JSON.stringify(response)
  return new AcpFailure('HANDSHAKE_FAILED', `The agent ${command} answered ${method} with ${seen}, which is no answer to it.`)
}
