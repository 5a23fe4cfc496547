/** Where the child works: asked for, or the parent's; never silently the server's own (A5). */
import { accessSync, constants, statSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { SubagentError } from '../../errors.ts'
import { invalid } from '../../run/request.ts'
import { reasonOf } from '../../run/system-errors.ts'
import type { ParentAgent } from '../../types.ts'

/**
 * @param option the provider's own
 * @throws SubagentError INVALID_REQUEST
 */
export function workingDirectory(option: string | undefined, parent: ParentAgent): string {
  const cwd = option ?? parent.session.header.cwd
  if (cwd === undefined)
    throw new SubagentError(
      'INVALID_REQUEST',
      'The child has no working directory: neither the option cwd of the provider nor the session of the parent has one. Give one of them, as in rootAgent({ cwd: process.cwd() }).',
    )
  checkAbsolute(option === undefined ? 'cwd of the parent session' : 'cwd', cwd)
  try {
    if (!statSync(cwd).isDirectory()) throw new Error('it is no directory')
    accessSync(cwd, constants.X_OK)
  } catch (cause) {
    throw new SubagentError('INVALID_REQUEST', `cwd ${JSON.stringify(cwd)} must be a directory that can be entered: ${reasonOf(cause)}`, {
      cause,
    })
  }
  return cwd
}

/** @throws SubagentError INVALID_REQUEST */
export function checkAbsolute(field: string, path: unknown): void {
  if (typeof path !== 'string' || !isAbsolute(path)) throw invalid(field, 'the absolute path of a directory', path)
}
