/** What a factory of agents is made with, checked before it exists. */
import { invalid } from '../run/request.ts'
import type { CreateAgentsOptions } from './agents.ts'

/** The counts and the model are checked where they are used. @throws SubagentError INVALID_REQUEST naming the option */
export function checkAgentsOptions(options: CreateAgentsOptions): void {
  if (typeof options !== 'object' || options === null) throw invalid('options', 'an object', options)
  const { tools, system, resolveModel, clock, createId, logger } = options
  if (tools !== undefined && typeof tools !== 'function' && (typeof tools !== 'object' || tools === null || Array.isArray(tools)))
    throw invalid('tools', 'an object of tools by name, or a function that gives one', tools)
  if (system !== undefined && typeof system !== 'string') throw invalid('system', "a string ('' for no system prompt)", system)
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
}
