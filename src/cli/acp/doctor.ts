/** What `subagents doctor` finds out about one agent, in the words of its table. Contract: C3, A7, A8. */
import { existsSync } from 'node:fs'
import { findProgram } from '../models/found/agents-on-path.ts'
import { knownAgents } from '../../providers/acp/index.ts'
import { probeAgent } from '../../providers/acp/probe.ts'
import type { ProbeOptions } from '../../providers/acp/probe.ts'
import type { Environment } from '../models/vendors.ts'
import type { AgentChoice } from './agent-choice.ts'

export interface Finding {
  readonly name: string
  /** What is run. */
  readonly command: string
  readonly installed: boolean
  /** The program ran and kept running until it was asked something. */
  readonly starts: boolean
  /** It answered `initialize` with version 1. */
  readonly protocol1: boolean
  /** Name and version, as it tells them. */
  readonly agent?: string
  readonly login: 'not wanted' | 'wanted' | 'unknown'
  /** Ways of the login, where one is wanted. */
  readonly loginMethods?: readonly string[]
  /** How it takes servers of the Model Context Protocol. Each agent has to take those on stdio. */
  readonly mcp?: readonly ('http' | 'stdio')[]
  /** What was last driven by this package. */
  readonly verified: { readonly version: string; readonly date: string } | 'unverified'
  /** Usable as it is. */
  readonly ready: boolean
  /** Why it is not. */
  readonly problem?: string
}

/** Takes at most as long as `timeoutMs` says, and a teardown. */
export async function examine(
  { name, typed, options: { command, args = [] } }: AgentChoice,
  env: Environment,
  surroundings: Omit<ProbeOptions, 'command' | 'args'>,
): Promise<Finding> {
  const verified = name === 'acp' ? 'unverified' : knownAgents[name].verified
  const common = { name, command: typed, verified }
  if ((await findProgram(command, env)) === undefined) {
    const problem = missing(command)
    return { ...common, installed: false, starts: false, protocol1: false, login: 'unknown', ready: false, problem }
  }
  const { facts, opened, failure } = await probeAgent({ command, args, ...surroundings })
  const login = opened ? 'not wanted' : failure?.code === 'AUTH_REQUIRED' ? 'wanted' : 'unknown'
  return {
    ...common,
    installed: true,
    starts: facts !== undefined || (failure?.code !== 'SPAWN_FAILED' && !/ended with exit code|was ended by/.test(failure?.message ?? '')),
    protocol1: facts !== undefined,
    ...(facts?.agent !== undefined && { agent: facts.agent }),
    login,
    ...(login === 'wanted' && facts && { loginMethods: facts.authMethods.map(({ id }) => id) }),
    ...(facts && { mcp: facts.mcp.http ? (['http', 'stdio'] as const) : (['stdio'] as const) }),
    ready: opened,
    ...(failure && { problem: failure.diagnostic }),
  }
}

function missing(command: string): string {
  if (!/[\\/]/.test(command)) return `${command} is not in PATH.`
  return existsSync(command) ? `${command} is no program, or may not be executed.` : `There is no file ${command}.`
}
