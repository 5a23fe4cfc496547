/**
 * Why a process could not be started, in words: the system says ENOENT for a missing command and a missing directory alike.
 */
import { existsSync, statSync } from 'node:fs'
import { describeThrown } from '../run/contain.ts'

/** @param cause what `spawn` threw, or what its `error` event had */
export function describeSpawnError(cause: unknown, command: string, cwd: string): Error {
  const { code } = cause as { code?: unknown }
  const why = reason(code, cause, command, cwd)
  return Object.assign(new Error(`${command} could not be started: ${why}`, { cause }), { why })
}

/** Why it could not be, for a message that says already what could not be started. */
export function startProblem(error: Error & { readonly why?: string }): string {
  return error.why ?? error.message
}

function reason(code: unknown, cause: unknown, command: string, cwd: string): string {
  const directory = directoryProblem(cwd)
  if (directory) return `its working directory ${cwd} ${directory}. Give a directory that exists and can be entered.`
  if (code === 'ENOENT' && /[\\/]/.test(command) && !existsSync(command))
    return `there is no file ${command}. Give the path of a program, or a name that is found in PATH.`
  if (code === 'ENOENT') return 'there is no such program. Give its path, or a name that is found in PATH.'
  // Also what is said of a name that is nowhere in PATH, when some directory of PATH cannot be entered.
  if (code === 'EACCES') return 'it may not be executed, or not be reached. Check that it is a program, and its permissions.'
  if (code === 'EMFILE' || code === 'ENFILE') return 'this process has too many open files. Close some, or raise the limit.'
  if (code === 'EAGAIN') return 'the system allows no more processes. End some, or raise the limit.'
  // The system's own words, without the arguments that Node adds as properties.
  return `${describeThrown(cause)}.`
}

function directoryProblem(cwd: string): string | undefined {
  try {
    return statSync(cwd).isDirectory() ? undefined : 'is no directory'
  } catch {
    return 'cannot be found'
  }
}
