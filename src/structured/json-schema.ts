/**
 * JSON Schema as a check: 2020-12, or draft-07 where `$schema` says so (P9). Unknown keywords and formats are annotations, as
 * the standard has it. Each schema is compiled once, however often it is asked for.
 */
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ErrorObject, Options, ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import { SubagentError } from '../errors.ts'
import { describeThrown } from '../run/contain.ts'
import type { JsonSchema } from '../types.ts'
import { at, brief, pathOf } from './issues.ts'
import type { Issue } from './issues.ts'

export type CheckJson = (value: unknown) => readonly Issue[]

/** All errors, since a model repairs all at once; strict mode refuses keywords that the standard allows. */
const options: Options = { allErrors: true, strict: false, verbose: true, ownProperties: true, logger: false }
const drafts = {
  '2020-12': (more?: Options) => withFormats(new Ajv2020({ ...options, ...more })),
  'draft-07': (more?: Options) => withFormats(new Ajv({ ...options, ...more })),
} as const
type Draft = keyof typeof drafts

const compilers = new Map<Draft, Ajv>()
/** By the text of the schema: each request brings a copy of its own. The oldest goes first. */
const compiled = new Map<string, CheckJson>()
const kept = 200

/** @throws SubagentError INVALID_REQUEST naming outputSchema, with the reason of the compiler */
export function checkOfJsonSchema(schema: JsonSchema): CheckJson {
  const text = JSON.stringify(schema)
  let check = compiled.get(text)
  if (!check) {
    check = compile(schema, text)
    const [oldest] = compiled.size >= kept ? compiled.keys() : []
    if (oldest !== undefined) compiled.delete(oldest)
    compiled.set(text, check)
  }
  return check
}

function compile(schema: JsonSchema, text: string): CheckJson {
  const own = JSON.parse(text) as JsonSchema
  const draft = draftOf(schema)
  const shared = compilerOf(draft)
  let validate: ValidateFunction
  try {
    if (own.$async !== undefined) throw new Error('$async is no keyword of JSON Schema')
    validate = hasNames(text) ? compileApart(draft, shared, own) : shared.compile(own)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : describeThrown(cause)
    throw new SubagentError('INVALID_REQUEST', `outputSchema is not a schema that can be checked: ${reason}.`, { cause })
  } finally {
    // What is kept is kept here; the compiler would hold every schema there ever was. One with names it has never had.
    if (!hasNames(text)) shared.removeSchema(own)
  }
  return (value) => (validate(value) ? [] : issuesOf(validate.errors ?? [], value))
}

/**
 * A compiler notes each `$id`, of parts as well, for all schemas after it, and forgets by it: another schema could refer to it,
 * and one named like a meta-schema would take that away.
 */
function hasNames(text: string): boolean {
  return text.includes('"$id"')
}

/** With a compiler of its own, which costs a few milliseconds since the meta-schemas are compiled in the shared one alone. */
function compileApart(draft: Draft, shared: Ajv, own: JsonSchema): ValidateFunction {
  void shared.validateSchema(own, true)
  return drafts[draft]({ validateSchema: false }).compile(own)
}

function draftOf({ $schema }: JsonSchema): Draft {
  if ($schema === undefined) return '2020-12'
  const name = typeof $schema === 'string' ? $schema.replace(/^https?:\/\//, '').replace(/#$/, '') : undefined
  if (name === 'json-schema.org/draft/2020-12/schema') return '2020-12'
  if (name === 'json-schema.org/draft-07/schema') return 'draft-07'
  throw new SubagentError(
    'INVALID_REQUEST',
    `outputSchema.$schema must be that of 2020-12 (https://json-schema.org/draft/2020-12/schema) or draft-07 (http://json-schema.org/draft-07/schema#), got ${brief($schema)}.`,
  )
}

function compilerOf(draft: Draft): Ajv {
  let ajv = compilers.get(draft)
  if (!ajv) compilers.set(draft, (ajv = drafts[draft]()))
  return ajv
}

function withFormats(ajv: Ajv): Ajv {
  formats.default(ajv)
  return ajv
}

function issuesOf(errors: readonly ErrorObject[], value: unknown): Issue[] {
  const issues = new Map<string, Issue>()
  for (const error of errors) {
    // Tells of a branch what the errors beside it tell by name.
    if (error.keyword === 'if') continue
    const issue = issueOf(error, value)
    issues.set(`${issue.path} ${issue.message}`, issue)
  }
  return [...issues.values()]
}

function issueOf(error: ErrorObject, value: unknown): Issue {
  const { keyword, params, message = 'does not fit', parentSchema } = error
  const segments = segmentsOf(error.instancePath, value)
  const here = at(value, segments)
  const child = (name: string): string => pathOf([...segments, name])
  const path = pathOf(segments)
  const was = brief(here)
  switch (keyword) {
    case 'required': {
      const name = String(params.missingProperty)
      return { path: child(name), message: `is required and is missing${typeHint(parentSchema, name)}` }
    }
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const name = String(params.additionalProperty ?? params.unevaluatedProperty)
      const known = Object.keys((parentSchema?.properties as object | undefined) ?? {})
      return { path: child(name), message: `is not allowed${known.length > 0 ? `; allowed are ${known.join(', ')}` : ''}` }
    }
    case 'enum':
      return { path, message: `must be one of ${(params.allowedValues as unknown[]).map(brief).join(', ')}`, was }
    case 'const':
      return { path, message: `must be ${brief(params.allowedValue)}`, was }
    case 'type':
      return { path, message: `must be ${[params.type].flat().join(' or ')}`, was }
    default:
      return { path, message, was }
  }
}

function typeHint(parentSchema: ErrorObject['parentSchema'], name: string): string {
  const properties = (parentSchema?.properties ?? {}) as Record<string, { readonly type?: string | readonly string[] } | undefined>
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined
  return property?.type === undefined ? '' : ` (${[property.type].flat().join(' or ')})`
}

/** The segments of a JSON pointer; of an array they are numbers. */
function segmentsOf(pointer: string, value: unknown): PropertyKey[] {
  const segments: PropertyKey[] = []
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~')
    segments.push(Array.isArray(at(value, segments)) ? Number(name) : name)
  }
  return segments
}
