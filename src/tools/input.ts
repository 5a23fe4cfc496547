/** What the model fills in: its schema, and the check of what came (T1). */
import type { JsonSchema } from '../types.ts'
import { promptWording } from './wording.ts'

export interface SubagentToolInput {
  /** A few words that say what the task is; the run's label. */
  readonly description: string
  /** The task. */
  readonly prompt: string
}

export function inputSchema(inheritsParentContext: boolean): JsonSchema {
  return {
    type: 'object',
    properties: {
      description: { type: 'string', description: 'A few words that say what the task is, for display.' },
      prompt: { type: 'string', description: promptWording(inheritsParentContext) },
    },
    required: ['description', 'prompt'],
    additionalProperties: false,
  }
}

/** The input, or a sentence that tells the model what was wrong with it. */
export function readInput(input: unknown): SubagentToolInput | string {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return `The input must be an object with the strings description and prompt, got ${input === null ? 'null' : Array.isArray(input) ? 'an array' : typeof input}. Call the tool again with both.`
  const { description, prompt } = input as Record<string, unknown>
  const flaws = Object.entries({ description, prompt }).flatMap(([name, value]) => {
    if (typeof value !== 'string')
      return [`${name} must be a string, got ${value === undefined ? 'nothing' : value === null ? 'null' : typeof value}`]
    return value.trim() === '' ? [`${name} must not be empty`] : []
  })
  if (flaws.length > 0) return `The input is not right: ${flaws.join('; ')}. Call the tool again with both description and prompt.`
  return { description: description as string, prompt: prompt as string }
}
