/**
 * What makes two tools the same (T9): all that a model sees of one, and all that decides what it runs. Where an answer goes
 * (clock, logger, callbacks, progress) makes no other tool.
 */
import { isStandard, jsonSchemaOf } from '../run/schema.ts'
import type { Binding } from './binding.ts'

export interface BindingIdentity {
  /** The children, as a message names them. */
  readonly bound: string
  /** By the name of the option. */
  readonly parts: Readonly<Record<string, string>>
  /** All of it. */
  readonly key: string
}

export function identityOfBinding(binding: Binding): BindingIdentity {
  const { agents, background, description, maxDepth, maxOutputBytes } = binding
  const bound = describeBinding(binding)
  const each = (read: (agent: Binding['agents'][number]) => unknown): string => print(agents.map(read))
  const parts = {
    description: print(description),
    'description of an agent': each((agent) => agent.description),
    persona: each(({ request }) => request.persona),
    toolFilter: each(({ request }) => request.toolFilter),
    agentOptions: each(({ request }) => request.agentOptions),
    outputSchema: each(({ request: { outputSchema } }) => (isStandard(outputSchema) ? jsonSchemaOf(outputSchema) : outputSchema)),
    timeoutMs: each(({ request }) => request.timeoutMs),
    cancelGraceMs: each(({ request }) => request.cancelGraceMs),
    releaseGraceMs: each(({ request }) => request.releaseGraceMs),
    maxDepth: print(maxDepth),
    maxOutputBytes: print(maxOutputBytes),
    background: print(background && { keepEnded: background.keepEnded, maxWaitMs: background.maxWaitMs }),
  }
  return { bound, parts, key: `${bound}\n${Object.values(parts).join('\n')}` }
}

/** The options in which two tools differ whose children are the same. */
export function differences(first: BindingIdentity, second: BindingIdentity): string[] {
  return Object.keys(first.parts).filter((name) => first.parts[name] !== second.parts[name])
}

function describeBinding({ hasChoice, agents, toolName }: Binding): string {
  const children = agents.map(({ name, provider }) => (hasChoice ? `${JSON.stringify(name)} (${JSON.stringify(provider)})` : provider))
  // The controls of a tool have names of their own, so the tool's stands here too.
  return `${hasChoice ? `the agents ${children.join(', ')}` : `provider ${JSON.stringify(children[0])}`} as ${JSON.stringify(toolName)}`
}

/** Equal for values that are equal as data. Models by their names, since many programs make one for each request. */
function print(value: unknown, depth = 0): string {
  if (typeof value === 'function') return `#${numberOf(value)}`
  if (typeof value !== 'object' || value === null)
    return typeof value === 'string' ? JSON.stringify(value) : `${String(value)}:${typeof value}`
  const { provider, modelId } = value as { readonly provider?: unknown; readonly modelId?: unknown }
  if (typeof modelId === 'string') return `model ${JSON.stringify([provider, modelId])}`
  if (depth > deepest) return `#${numberOf(value)}`
  if (Array.isArray(value)) return `[${value.map((part) => print(part, depth + 1)).join()}]`
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return `#${numberOf(value)}`
  const fields = Object.entries(value).filter(([, part]) => part !== undefined)
  fields.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, part]) => `${JSON.stringify(name)}:${print(part, depth + 1)}`).join()}}`
}

const deepest = 32
const numbers = new WeakMap<object, number>()
let last = 0

/** What is no data is the same as itself alone. */
function numberOf(value: object): number {
  let number = numbers.get(value)
  if (number === undefined) numbers.set(value, (number = ++last))
  return number
}
