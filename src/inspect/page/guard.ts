/**
 * Who may talk to the page's server: whoever knows the address, by a name of this machine, from a page of its own. A page of
 * somebody else's in the same browser, also under a name that was made to point here, gets nothing (I3).
 */
import { timingSafeEqual } from 'node:crypto'

export interface GuardedRequest {
  readonly host: string | undefined
  readonly origin: string | undefined
  /** As browsers say whose page sends the request; undefined where a person follows a link or types the address. */
  readonly site: string | undefined
  /** What stands where the token should be. */
  readonly token: string
  /** True for a request that changes something: it has to say its origin. */
  readonly changes: boolean
}

export interface GuardOptions {
  readonly port: number
  readonly token: string
}

export type Refusal = 403 | 404

/** @returns the status of the refusal; undefined for a request that may pass */
export function refusalOf(
  { host, origin, site, token, changes }: GuardedRequest,
  { port, token: right }: GuardOptions,
): Refusal | undefined {
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) return 403
  if (origin === undefined ? changes : origin !== `http://${host}`) return 403
  if (site !== undefined && site !== 'same-origin') return 403
  return isSame(token, right) ? undefined : 404
}

/** In a time that tells nothing of where they differ. */
function isSame(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** On every answer. Nothing is loaded from elsewhere, nobody frames it, and no address leaks as a referrer. */
export const guardHeaders: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
}
