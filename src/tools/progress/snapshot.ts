/** What a caller's interface is shown of a run that works (T15). Plain JSON; a new object each time. */
import type { RunActorRef, SubagentStopReason, Usage } from '../../types.ts'
import { cutText } from '../cut.ts'
import { shownLevels } from './node.ts'
import type { RunNode, ToolCallProgress } from './node.ts'

/**
 * How far a child is: what the tool yields as preliminary results before its answer. Bounded: text as `maxOutputBytes` says (of
 * runs further down 4096 bytes), the last 100 tool calls, 100 children, three levels of them.
 */
export interface SubagentProgress {
  /** Tells it from an answer of the tool. */
  readonly type: 'subagent-progress'
  /** The run's id with the service, which its events carry. */
  readonly runId: string
  /** The name that its provider is registered under. */
  readonly provider: string
  /** Which of the tool's agents it is. */
  readonly agent?: string
  /** The run's label: what the task is, in a few words. */
  readonly description?: string
  /** Where its chart is, as `running.active`; of runs further down as far as their lifecycle events tell. */
  readonly state: string
  /** Once it has ended. */
  readonly stopReason?: SubagentStopReason
  /** What it has written so far, cut to head and tail where it is too long. */
  readonly text: string
  /** The last 100, oldest first. */
  readonly toolCalls: readonly ToolCallProgress[]
  /** What it has used so far; absent until it reports some. */
  readonly usage?: Usage
  /** Runs that the child started. */
  readonly children: readonly SubagentProgress[]
}

/** Text of runs that are shown below another. */
export const childTextLimitBytes = 4096

export function progressOf(node: RunNode, ref?: RunActorRef, agent?: string, levels = shownLevels): SubagentProgress {
  const { runId, provider, label, stopReason, usage, text, toolCalls } = node
  return {
    type: 'subagent-progress',
    runId,
    provider,
    ...(agent !== undefined && { agent }),
    ...(label !== undefined && { description: label }),
    state: ref ? stateOf(ref) : node.state,
    ...(stopReason !== undefined && { stopReason }),
    text: levels === shownLevels ? text : cutText(text, childTextLimitBytes),
    toolCalls: [...toolCalls.values()],
    ...(usage && { usage }),
    children: levels === 0 ? [] : Array.from(node.children, (child) => progressOf(child, undefined, undefined, levels - 1)),
  }
}

/** The active state of a run's chart as one word, `running.active`. */
export function stateOf(ref: RunActorRef): string {
  const { value } = ref.getSnapshot()
  return typeof value === 'string' ? value : Object.entries(value).flat().join('.')
}

/**
 * Whether what a tool yielded, or a part of a message has as its output, is progress and not the answer. Ask it, rather than
 * whether it is preliminary: to a user interface the AI SDK hands the answer as a preliminary result first.
 */
export function isSubagentProgress(output: unknown): output is SubagentProgress {
  if (typeof output !== 'object' || output === null) return false
  const { type, runId, text } = output as Partial<SubagentProgress>
  return type === 'subagent-progress' && typeof runId === 'string' && typeof text === 'string'
}
