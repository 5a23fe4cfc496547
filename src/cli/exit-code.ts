/** C6: what the command tells the shell. */
export const exitCode = {
  /** The run completed. */
  completed: 0,
  /** It ended in any other way. */
  otherOutcome: 1,
  /** It was never begun: the command line or its surroundings do not allow it. */
  badUsage: 2,
  /** Ctrl-C. */
  interrupted: 130,
} as const
