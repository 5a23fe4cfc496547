/**
 * The tools of one agent as the AI SDK gets them: filtered, and wrapped so that `execute` is told which agent calls.
 *
 * Invariants: what the filter hides is neither shown nor executable (G10); a tool that answers after its stretch of steps was closed
 * is counted and its answer dropped (G13).
 */
import type { StandardJSONSchemaV1 } from '@standard-schema/spec'
import { asSchema, jsonSchema } from 'ai'
import type { Tool, ToolSet } from 'ai'
import { SubagentError } from '../errors.ts'
import { isAsyncIterable, isThenable } from '../run/contain.ts'
import type { Agent, ToolFilter } from '../types.ts'
import { toJson } from '../run/json.ts'
import { isAllowed } from './tool-filter.ts'

/** As the installed version of the AI SDK has them: the type of that name takes an argument in version 7. */
type ToolExecutionOptions = Parameters<NonNullable<Tool['execute']>>[1]

/** What a tool's `execute` gets as its second argument: the AI SDK's own options, and who calls. */
export interface AgentToolOptions extends ToolExecutionOptions {
  readonly agent: Agent
}

/** A stretch of steps; closed when its outcome is decided. */
export interface OpenSteps {
  closed: boolean
}

export interface ToolboxOptions {
  readonly agent: Agent
  readonly source: ToolSet | ((agent: Agent) => ToolSet)
  readonly filter?: ToolFilter
  /** Tools that no filter hides. */
  readonly extra?: ToolSet
  /** Called before each call, in the order of the calls; a throw is the call's error result. */
  readonly before?: (name: string, options: ToolExecutionOptions) => void | Promise<void>
  /** What is open now. */
  readonly open: () => OpenSteps | undefined
  /** A tool answered after its stretch of steps was closed. */
  readonly onLate: () => void
  /** Tool executions under way. */
  readonly inFlight: Set<Promise<unknown>>
}

export interface Toolbox {
  /** All names before filtering. */
  readonly known: readonly string[]
  /** What the next step may use; the same object as long as the source gives the same tools. */
  current(): ToolSet
}

/** @throws SubagentError INVALID_REQUEST where an extra tool has the name of another */
export function createToolbox(options: ToolboxOptions): Toolbox {
  const { agent, source, filter, extra = {} } = options
  const read = typeof source === 'function' ? () => source(agent) : () => source
  let origin = new Map<string, ToolSet[string]>()
  let wrapped: ToolSet = {}

  const current = (): ToolSet => {
    const visible = Object.entries(read()).filter(
      ([name, tool]) => tool !== undefined && !Object.hasOwn(extra, name) && (!filter || isAllowed(filter, name)),
    )
    const all = [...visible, ...Object.entries(extra)]
    if (all.length === origin.size && all.every(([name, tool]) => origin.get(name) === tool)) return wrapped
    origin = new Map(all)
    wrapped = Object.fromEntries(all.map(([name, tool]) => [name, wrap(name, tool, options)]))
    return wrapped
  }

  const clash = Object.keys(extra).find((name) => Object.hasOwn(read(), name) && (!filter || isAllowed(filter, name)))
  if (clash !== undefined)
    throw new SubagentError(
      'INVALID_REQUEST',
      `The agent has a tool named ${JSON.stringify(clash)}, and extraTools brings another (an outputSchema brings structured_output, by which the child gives its result). Rename the agent's own, or hide it by toolFilter.`,
    )
  return { known: [...Object.keys(read()), ...Object.keys(extra)], current }
}

type Schema = ReturnType<typeof asSchema>
/** Converted once: the AI SDK would make the JSON Schema of a zod schema anew for every call of the model. */
const schemas = new WeakMap<object, Schema>()

function schemaOf(tool: ToolSet[string]): Schema {
  const { inputSchema } = tool
  let schema = schemas.get(inputSchema)
  if (!schema) schemas.set(inputSchema, (schema = ownSchema(inputSchema) ?? asSchema(inputSchema)))
  return schema
}

/** A Standard Schema of this package goes as it is: of others the AI SDK closes every object, `additionalProperties: false`. */
function ownSchema(inputSchema: ToolSet[string]['inputSchema']): Schema | undefined {
  const standard = (inputSchema as Partial<StandardJSONSchemaV1> | undefined)?.['~standard']
  if (standard?.vendor !== 'xstate-subagents') return undefined
  return jsonSchema(standard.jsonSchema.input({ target: 'draft-2020-12' }) as Parameters<typeof jsonSchema>[0])
}

function wrap(name: string, tool: ToolSet[string], { agent, open, onLate, inFlight, before }: ToolboxOptions): ToolSet[string] {
  const { execute } = tool as { execute?: (input: unknown, options: AgentToolOptions) => unknown }
  // A tool that the provider runs, or nobody, goes as it is.
  if (typeof execute !== 'function') return tool
  // A tool with toModelOutput decides itself what the model sees of its raw answer; any other answer has to be JSON,
  // since providers serialise it into their request.
  const convert = tool.toModelOutput ? (output: unknown) => output : toJson

  const run = (input: unknown, options: ToolExecutionOptions): unknown => {
    let begun: void | Promise<void>
    try {
      begun = before?.(name, options)
    } catch (thrown) {
      throw asError(thrown)
    }
    return begun ? afterwards(begun, () => call(input, options)) : call(input, options)
  }

  const call = (input: unknown, options: ToolExecutionOptions): unknown => {
    const opened = open()
    if (!opened || opened.closed) throw new DOMException('The turn is over.', 'AbortError')
    const late = () => {
      if (opened.closed) onLate()
    }
    let returned: unknown
    try {
      returned = execute.call(tool, input, Object.assign({}, options, { agent }))
    } catch (thrown) {
      throw asError(thrown)
    }
    if (isAsyncIterable(returned)) return track(inFlight, guardIterable(returned, opened, convert, late))
    if (!isThenable(returned)) return convert(returned)
    const settled = Promise.resolve(returned).then(
      (output) => {
        late()
        return convert(output)
      },
      (thrown: unknown) => {
        if (!isAbort(thrown)) late()
        throw asError(thrown)
      },
    )
    watch(inFlight, settled)
    return settled
  }
  const prototype: object | null = Object.getPrototypeOf(tool) as object | null
  return Object.assign(Object.create(prototype) as ToolSet[string], tool, {
    execute: run,
    ...(tool.inputSchema && { inputSchema: schemaOf(tool) }),
  })
}

/** A call that waits: as a generator, since only that may turn out to be one. */
async function* afterwards(begun: Promise<void>, call: () => unknown): AsyncGenerator {
  try {
    await begun
  } catch (thrown) {
    throw asError(thrown)
  }
  const returned = call()
  if (isAsyncIterable(returned)) yield* returned
  else yield await returned
}

/** Passes preliminary results on; after the steps were closed it ends the tool's generator. */
async function* guardIterable(
  values: AsyncIterable<unknown>,
  opened: OpenSteps,
  convert: (output: unknown) => unknown,
  late: () => void,
): AsyncGenerator {
  try {
    for await (const value of values) {
      if (opened.closed) return late()
      yield convert(value)
    }
  } catch (thrown) {
    if (!isAbort(thrown)) late()
    throw asError(thrown)
  }
}

/** Counts a generator as under way from its first `next` to its end. */
async function* track(inFlight: Set<Promise<unknown>>, values: AsyncGenerator): AsyncGenerator {
  let end!: () => void
  watch(inFlight, new Promise<void>((resolve) => (end = resolve)))
  try {
    yield* values
  } finally {
    end()
  }
}

function watch(inFlight: Set<Promise<unknown>>, promise: Promise<unknown>): void {
  inFlight.add(promise)
  const forget = () => void inFlight.delete(promise)
  promise.then(forget, forget)
}

/** What was thrown as an Error whose message can be read: the AI SDK reads it without a guard. */
function asError(thrown: unknown): Error {
  try {
    if (thrown instanceof Error && typeof thrown.message === 'string') return thrown
  } catch {
    return new Error('The tool threw an error whose message cannot be read.')
  }
  const json = toJson(thrown)
  return new Error(typeof json === 'string' ? json : JSON.stringify(json))
}

function isAbort(thrown: unknown): boolean {
  return typeof thrown === 'object' && thrown !== null && (thrown as { name?: unknown }).name === 'AbortError'
}
