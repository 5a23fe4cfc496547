/**
 * What is read of the agent's answers. Nothing of them is trusted: each field is looked at before it is used (A10).
 */
import type { Json } from '../../types.ts'

/** The one version that is spoken, and asked for. */
export const protocolVersion = 1

/** JSON-RPC code of an agent that wants a login (A8). */
export const authRequired = -32_000

type Fields = { readonly [field: string]: unknown }

export function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function list(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** What came off the wire is JSON as it is. */
export const json = (value: unknown): Json => value as Json

export interface AuthMethod {
  readonly id: string
  readonly name?: string
}

/** What the agent said of itself in answer to `initialize`. */
export interface AgentFacts {
  /** Name and version, where it tells. */
  readonly agent?: string
  readonly authMethods: readonly AuthMethod[]
  readonly prompt: { readonly image: boolean; readonly audio: boolean; readonly embeddedContext: boolean }
  readonly mcp: { readonly http: boolean; readonly sse: boolean }
  /** How a session can be gone on with in a new process. */
  readonly reopen?: 'session/resume' | 'session/load'
}

export function readAgentFacts(response: Fields): AgentFacts {
  const capabilities = fields(response.agentCapabilities)
  const prompt = fields(capabilities.promptCapabilities)
  const mcp = fields(capabilities.mcpCapabilities)
  const session = fields(capabilities.sessionCapabilities)
  const { name, version } = fields(response.agentInfo)
  const reopen = isObject(session.resume) ? 'session/resume' : capabilities.loadSession === true ? 'session/load' : undefined
  return {
    ...(typeof name === 'string' && { agent: typeof version === 'string' ? `${name} ${version}` : name }),
    authMethods: list(response.authMethods).flatMap(({ id, name: title }) =>
      typeof id === 'string' ? [{ id, ...(typeof title === 'string' && { name: title }) }] : [],
    ),
    prompt: { image: prompt.image === true, audio: prompt.audio === true, embeddedContext: prompt.embeddedContext === true },
    mcp: { http: mcp.http === true, sse: mcp.sse === true },
    ...(reopen && { reopen }),
  }
}

/** A server of the Model Context Protocol that a session is opened with. */
export type McpServer =
  | {
      readonly type: 'http'
      readonly name: string
      readonly url: string
      readonly headers: readonly { readonly name: string; readonly value: string }[]
    }
  | {
      readonly name: string
      readonly command: string
      readonly args: readonly string[]
      readonly env: readonly { readonly name: string; readonly value: string }[]
    }
