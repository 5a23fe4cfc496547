/**
 * An output schema as a check of what a child gives (P9): JSON Schema, or a Standard Schema by its own validate. Knows nothing of
 * who asks a child for it, nor how.
 */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { describeThrown, isThenable } from '../run/contain.ts'
import { copy } from '../run/copy.ts'
import { isStandard } from '../run/schema.ts'
import type { JsonSchema } from '../types.ts'
import { at, brief, pathOf } from './issues.ts'
import type { Issue } from './issues.ts'
import { checkOfJsonSchema } from './json-schema.ts'
import type { CheckJson } from './json-schema.ts'

/** The value that fits, which of a Standard Schema is its output, or what is wrong with it. */
export type Validation = { readonly value: unknown } | { readonly issues: readonly Issue[] }

export interface OutputValidator {
  /**
   * Checks a copy, so that neither side changes what the other holds. At once, or a promise where the Standard Schema gives one.
   *
   * Contract: never throws and never rejects; a schema that does is an issue.
   */
  validate(value: unknown): Validation | Promise<Validation>
}

/**
 * @param schema what a request had as its `outputSchema`; a JSON Schema as the door has copied it
 * @throws SubagentError INVALID_REQUEST naming outputSchema, where it is no JSON Schema that can be compiled
 */
export function createOutputValidator(schema: unknown): OutputValidator {
  const check = isStandard(schema) ? standardCheck(schema) : jsonCheck(checkOfJsonSchema(schema as JsonSchema))
  return {
    validate(value) {
      try {
        const validation = check(copy(value))
        return isThenable(validation) ? Promise.resolve(validation).catch(unchecked) : validation
      } catch (thrown) {
        return unchecked(thrown)
      }
    },
  }
}

type Check = (value: unknown) => Validation | PromiseLike<Validation>

const jsonCheck =
  (check: CheckJson): Check =>
  (value) => {
    const issues = check(value)
    return issues.length === 0 ? { value } : { issues }
  }

const standardCheck =
  (schema: StandardSchemaV1): Check =>
  (value) => {
    const result = schema['~standard'].validate(value)
    return isThenable(result) ? result.then((late) => read(late, value)) : read(result, value)
  }

function unchecked(thrown: unknown): Validation {
  return { issues: [{ path: '', message: `could not be checked: ${describeThrown(thrown)}`, quotes: true }] }
}

function read(result: StandardSchemaV1.Result<unknown>, value: unknown): Validation {
  if (!result.issues) return { value: result.value }
  return { issues: result.issues.map((issue) => issueOf(issue, value)) }
}

function issueOf({ message, path = [] }: StandardSchemaV1.Issue, value: unknown): Issue {
  const segments = path.map((segment) => (typeof segment === 'object' ? segment.key : segment))
  return { path: pathOf(segments), message, quotes: true, was: brief(at(value, segments)) }
}
