import { nearest } from '../run/nearest.ts'
import { UsageError } from './usage-error.ts'

/** Names of which so many can be listed in one message. */
const mostListed = 20

/**
 * The one of `known` that was typed.
 *
 * @param what how the value was given and what it is, such as `--format dto: there is no such format`
 * @throws UsageError with the one that was probably meant, or all there are
 */
export function pick<Name extends string>(typed: string, known: readonly Name[], what: string): Name {
  const name = known.find((each) => each === typed)
  if (name !== undefined) return name
  const near = nearest(typed, known)
  if (near !== undefined) throw new UsageError(`${what}. Did you mean ${near}?`)
  const listed = known.slice(0, mostListed).join(', ')
  throw new UsageError(`${what}. There ${known.length === 1 ? 'is' : 'are'} ${listed}${known.length > mostListed ? ', …' : ''}.`)
}
