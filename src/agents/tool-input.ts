/**
 * The arguments of a tool call between its schema and its tool. A schema may make anything of them: a URL, an object with
 * functions. The AI SDK copies what it takes for arguments into the conversation, and fails on what cannot be copied, when the
 * tool has been run already; other things the copy spoils. So it gets them as JSON, and the tool what its schema made.
 */
import type { StandardJSONSchemaV1 } from '@standard-schema/spec'
import { asSchema, jsonSchema } from 'ai'
import type { ToolSet } from 'ai'
import { toJson } from '../run/json.ts'

type Schema = ReturnType<typeof asSchema>
/** Converted once: the AI SDK would make the JSON Schema of a zod schema anew for every call of the model. */
const schemas = new WeakMap<object, Schema>()
/** What a schema made, by the JSON that stands for it. */
const originals = new WeakMap<object, unknown>()

export function schemaOf({ inputSchema }: ToolSet[string]): Schema {
  let schema = schemas.get(inputSchema)
  if (!schema) schemas.set(inputSchema, (schema = ownSchema(inputSchema) ?? asJson(asSchema(inputSchema))))
  return schema
}

/** What a schema made, where `input` stands for it. */
export function originalOf(input: unknown): unknown {
  return typeof input === 'object' && input !== null && originals.has(input) ? originals.get(input) : input
}

/** A Standard Schema of this package goes as it is: of others the AI SDK closes every object, `additionalProperties: false`. */
function ownSchema(inputSchema: ToolSet[string]['inputSchema']): Schema | undefined {
  const standard = (inputSchema as Partial<StandardJSONSchemaV1> | undefined)?.['~standard']
  if (standard?.vendor !== 'xstate-subagents') return undefined
  return jsonSchema(standard.jsonSchema.input({ target: 'draft-2020-12' }) as Parameters<typeof jsonSchema>[0])
}

function asJson(schema: Schema): Schema {
  const { validate } = schema
  if (!validate) return schema
  return jsonSchema(() => schema.jsonSchema, {
    async validate(value) {
      const result = await validate(value)
      return result.success ? { success: true, value: standIn(result.value) } : result
    },
  })
}

function standIn(value: unknown): unknown {
  if (isJson(value, 0)) return value
  const json = toJson(value)
  const input = typeof json === 'object' && json !== null ? json : { value: json }
  originals.set(input, value)
  return input
}

/** More than arguments that are let through have, so that only what has no end gets there. */
const maxLevels = 1100

function isJson(value: unknown, level: number): boolean {
  if (typeof value !== 'object' || value === null)
    return typeof value !== 'function' && typeof value !== 'symbol' && typeof value !== 'bigint'
  if (level > maxLevels) return false
  if (Array.isArray(value)) return value.every((part) => isJson(part, level + 1))
  const prototype: unknown = Object.getPrototypeOf(value)
  return (prototype === Object.prototype || prototype === null) && Object.values(value).every((part) => isJson(part, level + 1))
}
