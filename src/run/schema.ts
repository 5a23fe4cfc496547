/**
 * An output schema at the door: a Standard Schema becomes its JSON Schema, a JSON Schema is copied. Nothing is compiled here (S11).
 */
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import { SubagentError } from '../errors.ts'
import type { JsonSchema } from '../types.ts'
import { describeThrown } from './contain.ts'
import { copyJson, deepFreeze } from './copy.ts'

const converters: Record<string, string> = {
  valibot: 'toStandardJsonSchema of @valibot/to-json-schema',
  zod: 'zod 4.2 or newer',
  arktype: 'arktype 2.1.28 or newer',
  effect: 'Schema.toStandardJSONSchemaV1 of effect',
}

/** @throws SubagentError INVALID_REQUEST naming `outputSchema` */
export function jsonSchemaOf(schema: unknown): JsonSchema {
  const converted = isStandard(schema) ? convert(schema) : schema
  if (typeof converted !== 'object' || converted === null || Array.isArray(converted))
    throw invalid(
      `must be a JSON Schema or a Standard Schema, got ${converted === null ? 'null' : Array.isArray(converted) ? 'an array' : typeof converted}`,
    )
  if ((converted as JsonSchema).type !== 'object')
    throw invalid(
      `must have an object at its root ("type": "object"), got "type": ${JSON.stringify((converted as JsonSchema).type) ?? 'nothing'}`,
    )
  try {
    return deepFreeze(copyJson(converted as JsonSchema))
  } catch (cause) {
    throw invalid(`must be plain JSON: ${describeThrown(cause)}`, cause)
  }
}

export function isStandard(schema: unknown): schema is StandardSchemaV1 {
  return (typeof schema === 'object' || typeof schema === 'function') && schema !== null && '~standard' in schema
}

function convert(schema: StandardSchemaV1): unknown {
  const standard = schema['~standard'] as (StandardSchemaV1.Props & Partial<StandardJSONSchemaV1.Props>) | null | undefined
  if (typeof standard?.jsonSchema?.input !== 'function') {
    const vendor = String(standard?.vendor ?? 'an unknown library')
    const converter = (Object.hasOwn(converters, vendor) && converters[vendor]) || 'a converter of its library'
    throw invalid(`is a Standard Schema of ${vendor} that cannot give its JSON Schema. Use ${converter}, or pass the JSON Schema itself`)
  }
  try {
    return standard.jsonSchema.input({ target: 'draft-2020-12' })
  } catch (cause) {
    throw invalid(`has no JSON Schema: ${describeThrown(cause)}`, cause)
  }
}

function invalid(what: string, cause?: unknown): SubagentError {
  return new SubagentError('INVALID_REQUEST', `outputSchema ${what}.`, cause === undefined ? undefined : { cause })
}
