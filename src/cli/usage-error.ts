/** What the user typed cannot be done as it stands: the message goes to stderr, the exit code is 2 (C6). */
export class UsageError extends Error {
  override name = 'UsageError'
}
