/** What a factory of agents, and an agent, is made with, checked before it exists. */
import { invalid } from '../run/request.ts'
import type { AgentOptions } from '../types.ts'
import type { CreateAgentOptions, CreateAgentsOptions } from './options.ts'

/** The model is checked where it is used. @throws SubagentError INVALID_REQUEST naming the option */
export function checkAgentsOptions(options: CreateAgentsOptions): void {
  if (typeof options !== 'object' || options === null) throw invalid('options', 'an object', options)
  const { tools, system, sessions, resolveModel, clock, createId, logger } = options
  if (tools !== undefined && typeof tools !== 'function' && (typeof tools !== 'object' || tools === null || Array.isArray(tools)))
    throw invalid('tools', 'an object of tools by name, or a function that gives one', tools)
  if (system !== undefined && typeof system !== 'string') throw invalid('system', "a string ('' for no system prompt)", system)
  if (sessions !== undefined && (typeof sessions !== 'object' || sessions === null))
    throw invalid('sessions', 'an object with a directory', sessions)
  if (sessions && (typeof sessions.directory !== 'string' || sessions.directory === '' || sessions.directory.includes('\0')))
    throw invalid('sessions.directory', 'the path of a directory', sessions.directory)
  if (resolveModel !== undefined && typeof resolveModel !== 'function') throw invalid('resolveModel', 'a function', resolveModel)
  if (createId !== undefined && typeof createId !== 'function') throw invalid('createId', 'a function', createId)
  if (
    clock !== undefined &&
    (typeof clock?.now !== 'function' || typeof clock.setTimeout !== 'function' || typeof clock.clearTimeout !== 'function')
  )
    throw invalid('clock', 'an object with now, setTimeout and clearTimeout', clock)
  if (
    logger !== undefined &&
    (typeof logger?.debug !== 'function' || typeof logger.warn !== 'function' || typeof logger.error !== 'function')
  )
    throw invalid('logger', 'an object with debug, warn and error', logger)
  checkCount('maxSteps', options.maxSteps, 1)
  checkCount('maxRetries', options.maxRetries, 0)
}

/** Fields that are the session's own, so that they cannot be said of one that is there already. */
const sessionFields = ['sessionId', 'seed', 'cwd', 'parentSession', 'delegationDepth', 'origin'] as const

/**
 * @param isThere whether the agent goes on with a session that has a header already
 * @throws SubagentError INVALID_REQUEST naming the field
 */
export function checkAgentRequest(request: CreateAgentOptions, id: unknown, agentOptions: AgentOptions, isThere: boolean): void {
  if (typeof id !== 'string' || id === '') throw invalid('id', 'a non-empty string', id)
  if (typeof agentOptions !== 'object' || agentOptions === null) throw invalid('options', 'an object', agentOptions)
  for (const field of ['sessionId', 'cwd', 'parentSession'] as const)
    if (request[field] !== undefined && (typeof request[field] !== 'string' || request[field] === ''))
      throw invalid(field, 'a non-empty string', request[field])
  if (request.system !== undefined && typeof request.system !== 'string') throw invalid('system', "a string ('' for none)", request.system)
  if (request.instruction !== undefined && typeof request.instruction !== 'string')
    throw invalid('instruction', 'a string', request.instruction)
  if (request.seed !== undefined && !Array.isArray(request.seed)) throw invalid('seed', 'an array of session events', request.seed)
  if (isThere)
    for (const field of sessionFields)
      if (request[field] !== undefined) throw invalid(field, 'left out, since the session that is continued has its own', request[field])
  checkCount('delegationDepth', request.delegationDepth, 0)
  checkCount('options.subagentDepth', agentOptions.subagentDepth, 0)
  checkCount('options.maxTokens', agentOptions.maxTokens, 1)
  checkCount('options.maxSteps', agentOptions.maxSteps, 1)
}

function checkCount(field: string, value: unknown, least: number): void {
  if (value === undefined) return
  if (!Number.isSafeInteger(value) || (value as number) < least || Object.is(value, -0))
    throw invalid(field, `a whole number from ${least}`, value)
}
