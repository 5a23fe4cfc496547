/**
 * The hooks of a tool that hear of its arguments while the model writes them. `streamText` of the AI SDK calls them; `generateText`
 * knows the whole answer alone.
 */
import type { ModelMessage, ToolSet } from 'ai'
import type { Part } from './answer.ts'

interface Hooks {
  readonly onInputStart?: (call: object) => unknown
  readonly onInputDelta?: (call: object) => unknown
}

/** What the tools that the AI SDK gets do not have, lest it calls them once more. */
const hooks = new WeakMap<object, Hooks>()

/** Keeps the hooks of `tool` for `derived`, which stands for it. @returns what takes them from `derived` */
export function keepInputHooks(tool: ToolSet[string], derived: ToolSet[string]): ToolSet[string] {
  const { onInputStart, onInputDelta } = tool
  if (!onInputStart && !onInputDelta) return derived
  hooks.set(derived, {
    ...(onInputStart && { onInputStart: (call: object) => onInputStart.call(tool, call as never) }),
    ...(onInputDelta && { onInputDelta: (call: object) => onInputDelta.call(tool, call as never) }),
  })
  return Object.assign(derived, { onInputStart: undefined, onInputDelta: undefined } as object)
}

export interface InputHooksOptions {
  readonly tools: ToolSet
  /** The conversation that the model answers; read at each call. */
  readonly messages: readonly ModelMessage[]
  readonly signal: AbortSignal
}

/** Calls the hooks of one answer: to be called with each of its parts. */
export function inputHooks({ tools, messages, signal }: InputHooksOptions): (part: Part) => unknown {
  const writing = new Map<unknown, Hooks>()
  return ({ type, id, toolName, delta }) => {
    if (type === 'tool-input-end') writing.delete(id)
    if (type !== 'tool-input-start' && type !== 'tool-input-delta') return undefined
    const name = String(toolName)
    const found = type === 'tool-input-start' ? Object.hasOwn(tools, name) && hooks.get(tools[name]!) : writing.get(id)
    if (!found) return undefined
    const call = { toolCallId: id, messages: [...messages], abortSignal: signal }
    if (type === 'tool-input-delta') return found.onInputDelta?.({ ...call, inputTextDelta: delta })
    writing.set(id, found)
    return found.onInputStart?.(call)
  }
}
