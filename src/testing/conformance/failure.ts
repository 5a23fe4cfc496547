/** A case that a provider fails, told so that its author knows where to look. */
import { caseTitle } from './case.ts'
import type { ProviderCase } from './case.ts'
import { requirements } from './requirements.ts'

export interface Finding {
  readonly expected: string
  readonly seen: string
  /** What to look at. */
  readonly look: string
}

/** A case that a provider did not pass: what was expected, what was seen, where to look. */
export class ProviderCaseError extends Error implements Finding {
  override name = 'ProviderCaseError'
  /** The one that failed, with its requirement ids. */
  readonly case: ProviderCase
  /** What had to be seen, in words. */
  readonly expected: string
  /** What was seen, in words. */
  readonly seen: string
  /** Where in the provider, or in its subject, to look. */
  readonly look: string

  /**
   * @param after what was done before it showed
   * @param logged what the service was told to log
   */
  constructor(
    failed: ProviderCase,
    { expected, seen, look }: Finding,
    after: readonly string[],
    logged: readonly string[],
    cause?: unknown,
  ) {
    const lines = [
      caseTitle(failed),
      ...failed.ids.map((id) => `  ${id}: ${requirements[id]}`),
      ...(after.length > 0 ? [`  after:    ${after.join(', ')}`] : []),
      `  expected: ${expected}`,
      `  seen:     ${seen}`,
      `  look at:  ${look}`,
      ...logged.slice(0, 3).map((line) => `  logged:   ${line}`),
    ]
    super(lines.join('\n'), cause === undefined ? undefined : { cause })
    this.case = failed
    this.expected = expected
    this.seen = seen
    this.look = look
  }
}

/** Thrown where a check does not hold; the case that it belongs to is added by whoever runs it. */
export class Found extends Error implements Finding {
  readonly expected: string
  readonly seen: string
  readonly look: string

  constructor({ expected, seen, look }: Finding, cause?: unknown) {
    super(seen, cause === undefined ? undefined : { cause })
    this.expected = expected
    this.seen = seen
    this.look = look
  }
}
