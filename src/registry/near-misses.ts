/**
 * Fields of requests that are none of a request's own and look like one of them. They may be a provider's, so that they pass;
 * a warning tells of each name once.
 */
import { warn } from '../run/contain.ts'
import { nearest } from '../run/nearest.ts'
import { requestFields } from '../run/request.ts'
import type { Logger } from '../types.ts'

const known: ReadonlySet<string> = new Set(requestFields)
/** Without `id`: too short, too many words are near it. */
const mistakable = requestFields.filter((field) => field !== 'id')
/** Names that are made up as requests go must not gather, nor be compared again and again. */
const mostNames = 100

export class NearMisses {
  readonly #logger: Logger
  readonly #seen = new Set<string>()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  check(request: object): void {
    for (const field in request) if (!known.has(field)) this.#meet(field)
  }

  #meet(field: string): void {
    if (this.#seen.size >= mostNames || this.#seen.has(field)) return
    this.#seen.add(field)
    // Longer ones are none, and would take long to compare.
    const meant = field.length > 40 ? undefined : nearest(field, mistakable)
    if (meant !== undefined) warn(this.#logger, `A request has the field ${field}, which is left to its provider. Did you mean ${meant}?`)
  }
}
