/** Why a workspace tool could not do what it was asked. */
export type WorkspaceErrorReason =
  | 'outside'
  | 'ignored'
  | 'missing'
  | 'not-a-file'
  | 'not-a-folder'
  | 'binary'
  | 'huge'
  | 'unreadable'
  | 'rules-unreadable'
  | 'invalid-input'
  | 'invalid-pattern'

/** Becomes an error tool result: the message is written for the model that made the call and names no path outside the root. */
export class WorkspaceError extends Error {
  override name = 'WorkspaceError'
  readonly reason: WorkspaceErrorReason

  constructor(reason: WorkspaceErrorReason, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.reason = reason
  }
}

/** The code of a failed system call, such as `ENOENT`. The error may come from another realm, where it is no instance of our Error. */
export function systemCode(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** Turns the failure of a system call on `path` into one a model can act on. */
export function fromSystemError(error: unknown, path: string): WorkspaceError {
  if (error instanceof WorkspaceError) return error
  const code = systemCode(error)
  const cause = { cause: error }
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new WorkspaceError('missing', `${path} does not exist. Use list_files to see what does.`, cause)
  if (code === 'ELOOP') return new WorkspaceError('unreadable', `${path} is a symbolic link that changed or leads in a circle.`, cause)
  return new WorkspaceError('unreadable', `${path} cannot be read (${code ?? 'unknown error'}).`, cause)
}
