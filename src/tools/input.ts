/** What the model fills in: its schema, and the check of what came (T1, T11, T14). */
import type { JsonSchema } from '../types.ts'
import { availableAgents } from './binding.ts'
import type { Binding } from './binding.ts'
import { promptWording } from './wording.ts'

/** What the model writes to delegate. */
export interface SubagentToolInput {
  /** A few words that say what the task is; the run's label. Of more than 200 characters only the first are taken. */
  readonly description: string
  /** The task. */
  readonly prompt: string
  /** Which of the tool's agents is to do it, where it has a list. */
  readonly agent?: string
  /** Answer at once with a run id, where the tool allows it. */
  readonly run_in_background?: boolean
}

export function inputSchema(binding: Binding): JsonSchema {
  const { hasChoice, background } = binding
  const names = hasChoice ? availableAgents(binding).map(({ name }) => name!) : []
  return {
    type: 'object',
    properties: {
      description: { type: 'string', description: 'A few words that say what the task is, for display.' },
      prompt: { type: 'string', description: promptWording(binding) },
      ...(hasChoice && {
        // An empty enum is no schema to many.
        agent: { type: 'string', ...(names.length > 0 && { enum: names }), description: 'The agent that does the task.' },
      }),
      ...(background && {
        run_in_background: { type: 'boolean', description: 'true: start the subagent, go on, and be told when it has ended.' },
      }),
    },
    required: ['description', 'prompt', ...(hasChoice ? ['agent'] : [])],
    additionalProperties: false,
  }
}

/** The input, or a sentence that tells the model what was wrong with it. */
export function readInput({ hasChoice, background }: Binding, input: unknown): SubagentToolInput | string {
  const required = ['description', 'prompt', ...(hasChoice ? ['agent'] : [])]
  const all = `${required.slice(0, -1).join(', ')} and ${required.at(-1)}`
  const again = `Call the tool again with ${hasChoice ? 'all of' : 'both'}`
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return `The input must be an object with the strings ${all}, got ${kindOf(input)}. ${again}${hasChoice ? ' them' : ''}.`
  const given = input as Record<string, unknown>
  const flaws = required.flatMap((name) => {
    const value = given[name]
    if (typeof value !== 'string') return [`${name} must be a string, got ${value === undefined ? 'nothing' : kindOf(value)}`]
    return value.trim() === '' ? [`${name} must not be empty`] : []
  })
  const { run_in_background: later } = given
  // Models that have to name every field give null for what they leave out.
  if (background && later !== undefined && later !== null && typeof later !== 'boolean')
    flaws.push(`run_in_background must be true or false, got ${kindOf(later)}`)
  if (flaws.length > 0) return `The input is not right: ${flaws.join('; ')}. ${again} ${all}.`
  return {
    description: shortened(given['description'] as string),
    prompt: given['prompt'] as string,
    ...(hasChoice && { agent: given['agent'] as string }),
    ...(background && later === true && { run_in_background: true }),
  }
}

const longestDescription = 200

/** It is repeated in labels, lists and notices. */
function shortened(description: string): string {
  if (description.length <= longestDescription) return description
  return `${description.slice(0, longestDescription - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value
}
