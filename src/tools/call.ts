/**
 * A run of a subagent tool, from the call that starts it to its release (T4–T8).
 *
 * Owns: who the parent is, which agent was chosen, that the run is disposed on every path. Does not own: how an answer reaches
 * a framework, or who waits for it.
 * Invariants: nothing here rejects, every failure is an error result; calls share nothing (T10).
 */
import { describeThrown, warn } from '../run/contain.ts'
import { nearest } from '../run/nearest.ts'
import type { ParentAgent, SubagentResult, SubagentRun, SubagentStartRequest, SubagentStopReason } from '../types.ts'
import { availableAgents, depthLimitOf } from './binding.ts'
import type { Binding } from './binding.ts'
import type { BoundAgent } from './bound-agents.ts'
import { readInput } from './input.ts'
import type { SubagentToolInput } from './input.ts'
import { errorResult, toToolResult } from './outcome.ts'
import type { SubagentToolResult } from './outcome.ts'
import type { SubagentProgress } from './progress/snapshot.ts'

/** What a framework tells of a call. */
export interface SubagentToolCall {
  /** Aborting it cancels the run, unless that is one in the background. */
  readonly abortSignal?: AbortSignal
  /** The model's id of the call; absent where the host has none. */
  readonly toolCallId?: string
  /** The agent whose turn makes the call; tools of `createAgents()` are told it. @default the tool's `parent` */
  readonly agent?: ParentAgent
  /**
   * Hears what the child does while it runs (T15), not more often than the tool's `progress` says.
   *
   * Contract: called between turns of the event loop, never after the call has answered; what it throws is logged.
   */
  readonly onProgress?: (progress: SubagentProgress) => unknown
}

/** A call that can be started. */
export interface Order {
  readonly input: SubagentToolInput
  readonly agent: BoundAgent
  readonly parent: ParentAgent
}

/** A run that has ended and was released. */
export interface Finished {
  readonly result: SubagentToolResult
  readonly stopReason: SubagentStopReason
  readonly sessionId?: string
}

/** What is asked for, or the error result that says why it cannot be. */
export function readOrder(binding: Binding, input: unknown, call: SubagentToolCall): Order | SubagentToolResult {
  const read = readInput(binding, input)
  if (typeof read === 'string') return errorResult(read)
  const agent = binding.hasChoice ? choose(binding, read.agent!) : binding.agents[0]!
  if (typeof agent === 'string') return errorResult(agent)
  const parent = parentOf(binding, call)
  if (!parent)
    return errorResult(
      'The subagent was not started: nothing says which agent delegates. The tool has to be made with a parent, or be called by an agent.',
    )
  return { input: read, agent, parent }
}

export function parentOf({ parent }: Binding, call: SubagentToolCall): ParentAgent | undefined {
  return call.agent ?? parent
}

/** @throws as `service.start` does */
export function startRun(binding: Binding, order: Order, signal?: AbortSignal): SubagentRun {
  return binding.service.start(order.agent.provider, { ...requestOf(binding, order), ...(signal && { signal }) })
}

export function requestOf(binding: Binding, { input, agent, parent }: Order): SubagentStartRequest {
  const maxDepth = depthLimitOf(binding, agent)
  return {
    ...agent.request,
    parent,
    prompt: input.prompt,
    label: input.description,
    ...(maxDepth !== undefined && { maxDepth }),
  }
}

/**
 * Awaits and disposes a run; a release that fails never hides what the child achieved (T6). Never rejects.
 * @param onOutcome told what the run came to before its release, which may take its grace; it must not throw
 */
export async function finishRun(
  run: SubagentRun,
  { toolName, logger }: Binding,
  onOutcome?: (finished: Finished) => void,
): Promise<Finished> {
  const finished: Finished = await run.result.then(outcomeOf, (error: unknown) => ({
    result: errorResult(messageOf(error)),
    stopReason: 'error',
  }))
  onOutcome?.(finished)
  try {
    await run.dispose()
    return finished
  } catch (error) {
    const { result, stopReason } = finished
    if (!result.isError) {
      warn(logger, `Tool ${toolName}: run ${run.runId} completed, but its release failed: ${messageOf(error)}`)
      return finished
    }
    const [first] = result.content
    const text = first?.type === 'text' ? first.text : ''
    return { result: errorResult(`${text}\n\nIts release failed as well: ${messageOf(error)}`), stopReason }
  }
}

/** Contained: whatever a provider put into its answer, the release comes after it. */
function outcomeOf({ sessionId, ...result }: SubagentResult): Finished {
  const { stopReason } = result
  try {
    return { result: toToolResult(result), stopReason, ...(sessionId !== undefined && { sessionId }) }
  } catch (thrown) {
    return { result: errorResult(`The subagent's answer cannot be read: ${messageOf(thrown)}`), stopReason }
  }
}

/** The message alone; also for values that are no errors, or whose message cannot be read. */
export function messageOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error && typeof thrown.message === 'string' && thrown.message !== '') return thrown.message
  } catch {
    // Described below.
  }
  return describeThrown(thrown)
}

/** The agent of that name, or a sentence that names those there are. */
function choose(binding: Binding, name: string): BoundAgent | string {
  const known = binding.agents.find((agent) => agent.name === name)
  const available = availableAgents(binding)
  if (known && available.includes(known)) return known
  const names = available.map((agent) => agent.name!)
  const near = nearest(name, names)
  const why = known
    ? `Agent ${JSON.stringify(name)} is not available: its provider ${JSON.stringify(known.provider)} is not registered at the moment.`
    : `There is no agent ${JSON.stringify(name)}.${near === undefined ? '' : ` Did you mean ${JSON.stringify(near)}?`}`
  if (names.length === 0) return `${why} No agent is available at the moment.`
  return `${why} Choose one of ${names.map((each) => JSON.stringify(each)).join(', ')}.`
}
