/**
 * Text of a failure that may be shown: short, and without what looks like a key (G12).
 */

const mark = '[redacted]'

/** Named secrets keep their name, so that a reader sees what was there. */
const named =
  /\b(authorization|proxy-authorization|x-api-key|api[-_ ]?key|access[-_ ]?token|token|secret|password|key)(["']?\s*[:=]\s*["']?)(?:(?:bearer|basic)\s+)?[^\s"',;&})\]]+/gi
const bearer = /\b(bearer|basic)\s+[\w\-.~+/=*]{4,}/gi
const prefixed = /\b(?:sk|pk|rk|gsk|xai|ghp|gho|ghs|github_pat|glpat|hf|AIza|AKIA|xox[abpr])[-_]?[\w*.-]{6,}/g
const jwt = /\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g
const credentials = /\/\/[^\s/@]+@/g
/** Long runs of mixed letters and digits are taken for keys, partly starred ones too. */
const long = /(?<![\w*-])(?=[\w*-]*\d)(?=[\w*-]*[A-Za-z])[\w*-]{20,}/g

/** `text` with everything that looks like a key replaced. */
export function redact(text: string): string {
  return text
    .replace(credentials, `//${mark}@`)
    .replace(named, `$1$2${mark}`)
    .replace(bearer, `$1 ${mark}`)
    .replace(prefixed, mark)
    .replace(jwt, mark)
    .replace(long, mark)
}

/** One redacted line of at most `limit` characters. */
export function shortMessage(text: string, limit = 200): string {
  // Cut before the patterns run: their cost is bounded by the length, and a body may be megabytes.
  const line = redact(
    text
      .slice(0, 4 * limit)
      .replace(/\s+/g, ' ')
      .trim(),
  )
  return line.length <= limit ? line : `${line.slice(0, limit).replace(/[\uD800-\uDBFF]$/, '')} …`
}
