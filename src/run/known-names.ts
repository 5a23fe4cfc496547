/** Names that a caller may have mistyped: one that is not known would do nothing, which its user would find late. */
import { SubagentError } from '../errors.ts'
import { nearest } from './nearest.ts'

/**
 * @param holder such as `A subagent tool`
 * @param silent names that are taken, and not offered
 * @throws SubagentError INVALID_REQUEST for an option that is not known, with the nearest, or else with all of them
 */
export function checkOptionNames(options: object, known: readonly string[], holder: string, silent: readonly string[] = []): void {
  for (const name of Object.keys(options))
    if (!known.includes(name) && !silent.includes(name)) throw unknownName(name, known, holder, 'option')
}

/** INVALID_REQUEST: `holder` has no `kind` of that name; with the nearest of `known`, or else with all of them. */
export function unknownName(name: string, known: readonly string[], holder: string, kind: string): SubagentError {
  const typed = name.slice(0, 60)
  const near = nearest(typed, known)
  const advice = near === undefined ? `The ${kind}s are ${known.join(', ')}.` : `Did you mean ${near}?`
  return new SubagentError('INVALID_REQUEST', `${holder} has no ${kind} ${JSON.stringify(typed)}. ${advice}`)
}
