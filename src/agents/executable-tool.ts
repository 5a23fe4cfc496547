/**
 * A tool of an agent as the AI SDK gets it: `execute` is told which agent calls, and the step under way hears what came of a call
 * before the AI SDK does.
 *
 * Invariants: what a tool answers after its step was closed is dropped, and counted (G13); whatever it throws is an error that can
 * be read.
 */
import type { ToolSet } from 'ai'
import { isAsyncIterable, isThenable } from '../run/contain.ts'
import { toJson } from '../run/json.ts'
import { keepInputHooks } from './input-hooks.ts'
import { errorOutput } from './step-draft.ts'
import { originalOf, schemaOf } from './tool-input.ts'
import type { AgentToolOptions, ToolboxOptions, ToolExecutionOptions } from './tools.ts'
import { turnIsOver } from './turn-over.ts'

/** @param options.before called first; what it throws is what came of the call */
export function executable(
  name: string,
  tool: ToolSet[string],
  { agent, before, open, onLate, inFlight }: ToolboxOptions,
): ToolSet[string] {
  const { execute } = tool as { execute?: (input: unknown, options: AgentToolOptions) => unknown }
  // One that the provider runs, or nobody.
  if (typeof execute !== 'function') return derived(tool, {})
  // A tool with toModelOutput decides itself what the model sees of its raw answer; any other answer has to be JSON,
  // since providers serialise it into their request.
  const isRaw = tool.toModelOutput !== undefined

  const run = (input: unknown, call: ToolExecutionOptions): unknown => {
    const step = open()
    const take = (output: unknown): unknown => {
      const json = toJson(output)
      step?.settle(call.toolCallId, 'ok', json)
      return isRaw ? output : json
    }
    const fail = (thrown: unknown): Error => {
      const error = asError(thrown)
      step?.settle(call.toolCallId, 'error', errorOutput(error))
      return error
    }
    const late = (thrown?: unknown) => {
      if (step?.closed && !isAbort(thrown)) onLate()
    }
    const start = (): unknown => {
      if (!step || step.closed) throw turnIsOver()
      return execute.call(tool, originalOf(input), Object.assign({}, call, { agent }))
    }

    async function* each(values: AsyncIterable<unknown>): AsyncGenerator {
      let last: unknown
      try {
        for await (const value of values) {
          if (step?.closed) return late()
          yield (last = isRaw ? value : toJson(value))
        }
      } catch (thrown) {
        late(thrown)
        throw fail(thrown)
      }
      take(last)
    }
    const once = async (promise: PromiseLike<unknown>): Promise<unknown> => {
      let output: unknown
      try {
        output = await promise
      } catch (thrown) {
        late(thrown)
        throw fail(thrown)
      }
      late()
      return take(output)
    }
    const follow = (returned: unknown): unknown => {
      if (isAsyncIterable(returned)) return track(inFlight, each(returned))
      if (!isThenable(returned)) return take(returned)
      const answered = once(returned)
      watch(inFlight, answered)
      return answered
    }
    // As a generator, since only that may turn out to be one.
    async function* afterwards(begun: Promise<void>): AsyncGenerator {
      let returned: unknown
      try {
        await begun
        returned = start()
      } catch (thrown) {
        throw fail(thrown)
      }
      const followed = follow(returned)
      if (isAsyncIterable(followed)) yield* followed
      else yield await followed
    }

    try {
      const begun = before?.(name, call)
      return begun ? afterwards(begun) : follow(start())
    } catch (thrown) {
      throw fail(thrown)
    }
  }

  return derived(tool, { execute: run })
}

type Hooks = Partial<Record<'needsApproval' | 'onInputAvailable' | 'toModelOutput', unknown>>

/** The tool with other fields, and with arguments as its schema made them wherever it is told of them. */
function derived(tool: ToolSet[string], fields: object): ToolSet[string] {
  const { needsApproval, onInputAvailable, toModelOutput } = tool as Hooks
  const prototype: object | null = Object.getPrototypeOf(tool) as object | null
  const own = Object.assign(Object.create(prototype) as ToolSet[string], tool, {
    ...fields,
    ...(tool.inputSchema && { inputSchema: schemaOf(tool) }),
    ...(typeof needsApproval === 'function' && {
      needsApproval: (input: unknown, call: unknown): unknown => needsApproval.call(tool, originalOf(input), call),
    }),
    ...(typeof onInputAvailable === 'function' && {
      onInputAvailable: (call: { input: unknown }): unknown => onInputAvailable.call(tool, { ...call, input: originalOf(call.input) }),
    }),
    ...(typeof toModelOutput === 'function' && {
      async toModelOutput(call: { input: unknown }): Promise<unknown> {
        const output = (await toModelOutput.call(tool, { ...call, input: originalOf(call.input) })) as
          | { type: string; value?: unknown }
          | undefined
        // The conversation is copied and checked as JSON: an instance of a class would end it for good.
        return output?.type === 'json' || output?.type === 'error-json' ? { ...output, value: toJson(output.value) } : output
      },
    }),
  })
  return keepInputHooks(tool, own)
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
