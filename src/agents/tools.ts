/**
 * The tools of one agent as the AI SDK gets them: filtered, and wrapped so that `execute` is told which agent calls.
 *
 * Invariants: what the filter hides is neither shown nor executable (G10); the step hears what came of a
 * call before the AI SDK does; a tool that answers after its step was closed is counted and its answer dropped (G13).
 */
import type { Tool, ToolSet } from 'ai'
import { SubagentError } from '../errors.ts'
import type { Agent, ToolFilter } from '../types.ts'
import { executable } from './executable-tool.ts'
import type { OpenSteps } from './steps.ts'
import { isAllowed } from './tool-filter.ts'

/** As the installed version of the AI SDK has them: the type of that name takes an argument in version 7. */
export type ToolExecutionOptions = Parameters<NonNullable<Tool['execute']>>[1]

/** What a tool's `execute` gets as its second argument: the AI SDK's own options, and who calls. */
export interface AgentToolOptions extends ToolExecutionOptions {
  readonly agent: Agent
}

export interface ToolboxOptions {
  readonly agent: Agent
  readonly source: ToolSet | ((agent: Agent) => ToolSet)
  readonly filter?: ToolFilter
  /** Tools that no filter hides. */
  readonly extra?: ToolSet
  /** Called before each call, in the order of the calls; a throw is the call's error result. */
  readonly before?: (name: string, options: ToolExecutionOptions) => void | Promise<void>
  /** The step under way. */
  readonly open: () => OpenSteps | undefined
  /** A tool answered after its step was closed. */
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
    wrapped = Object.fromEntries(all.map(([name, tool]) => [name, executable(name, tool, options)]))
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
