/**
 * What a registry is made with, checked before it exists.
 */
import { checkOptionNames } from '../run/known-names.ts'
import { checkMs, invalid } from '../run/request.ts'
import type { RegistryInput } from '../machines/registry.ts'

const optionNames = Object.keys({
  providers: true,
  logger: true,
  clock: true,
  createId: true,
  onPermission: true,
  timeoutMs: true,
  cancelGraceMs: true,
  releaseGraceMs: true,
  maxConcurrentRuns: true,
  maxConcurrentPerProvider: true,
  queue: true,
} satisfies Record<keyof RegistryInput, true>)

/**
 * @param face what the service in front of it takes besides @default there is none: the input of an actor
 * @throws SubagentError INVALID_REQUEST naming the option
 */
export function checkInput(input: RegistryInput, face?: readonly string[]): void {
  if (typeof input !== 'object' || input === null) throw invalid('options', 'an object', input)
  checkOptionNames(input, [...optionNames, ...(face ?? [])], face ? 'A service' : 'A registry')
  const { providers, logger, clock, createId, onPermission, queue } = input
  if (providers !== undefined && !Array.isArray(providers)) throw invalid('providers', 'an array of providers', providers)
  if (
    logger !== undefined &&
    (typeof logger?.debug !== 'function' || typeof logger.warn !== 'function' || typeof logger.error !== 'function')
  )
    throw invalid('logger', 'an object with debug, warn and error', logger)
  if (
    clock !== undefined &&
    (typeof clock?.now !== 'function' || typeof clock.setTimeout !== 'function' || typeof clock.clearTimeout !== 'function')
  )
    throw invalid('clock', 'an object with now, setTimeout and clearTimeout', clock)
  if (createId !== undefined && typeof createId !== 'function') throw invalid('createId', 'a function', createId)
  if (onPermission !== undefined && typeof onPermission !== 'function') throw invalid('onPermission', 'a function', onPermission)
  if (queue !== undefined && queue !== 'wait' && queue !== 'reject') throw invalid('queue', "'wait' or 'reject'", queue)
  if (input.timeoutMs !== undefined) checkMs('timeoutMs', input.timeoutMs, 1)
  if (input.cancelGraceMs !== undefined) checkMs('cancelGraceMs', input.cancelGraceMs, 0)
  if (input.releaseGraceMs !== undefined) checkMs('releaseGraceMs', input.releaseGraceMs, 0)
  for (const limit of ['maxConcurrentRuns', 'maxConcurrentPerProvider'] as const) {
    const value = input[limit]
    if (value !== undefined && value !== Infinity && (!Number.isSafeInteger(value) || value < 1))
      throw invalid(limit, 'a whole number from 1', value)
  }
}
