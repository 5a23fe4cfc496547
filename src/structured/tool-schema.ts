/** The schema of a tool whose arguments are checked by its own `execute`, so that what is wrong is said in words for a model. */
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'

export type UncheckedSchema<Input> = StandardSchemaV1<unknown, Input> & StandardJSONSchemaV1<unknown, Input>

/**
 * A Standard Schema that passes every value and gives what `jsonSchema` returns as its JSON Schema, as it is.
 * @param jsonSchema asked each time, since the wording of a tool may change
 */
export function uncheckedSchema<Input = unknown>(jsonSchema: () => object): UncheckedSchema<Input> {
  // A copy each time: the AI SDK writes into what it gets.
  const give = (): Record<string, unknown> => structuredClone(jsonSchema()) as Record<string, unknown>
  return {
    '~standard': {
      version: 1,
      vendor: 'xstate-subagents',
      validate: (value) => ({ value: value as Input }),
      jsonSchema: { input: give, output: give },
    },
  }
}
