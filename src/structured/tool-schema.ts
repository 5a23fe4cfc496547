/** The schema of a tool whose arguments are checked by its own `execute`, so that what is wrong is said in words for a model. */
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import type { JsonSchema } from '../types.ts'

export type UncheckedSchema = StandardSchemaV1<unknown, unknown> & StandardJSONSchemaV1<unknown, unknown>

/** A Standard Schema that passes every value and gives `schema` as its JSON Schema, as it is. */
export function uncheckedSchema(schema: JsonSchema): UncheckedSchema {
  // A copy each time: the AI SDK writes into what it gets.
  const give = (): Record<string, unknown> => structuredClone(schema) as Record<string, unknown>
  return {
    '~standard': { version: 1, vendor: 'xstate-subagents', validate: (value) => ({ value }), jsonSchema: { input: give, output: give } },
  }
}
