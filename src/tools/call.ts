/**
 * One call of a subagent tool: a run is started, awaited and disposed (T4–T8).
 *
 * Owns: who the parent is, that the run is disposed on every path. Does not own: how an answer reaches a framework.
 * Invariants: nothing here throws or rejects, every failure is an error result; calls share nothing (T10).
 */
import { describeThrown, warn } from '../run/contain.ts'
import { stderrLogger } from '../run/defaults.ts'
import type { Logger, ParentAgent, SubagentRun } from '../types.ts'
import { readInput } from './input.ts'
import { defaultToolName, depthLimitOf } from './options.ts'
import type { SubagentToolOptions } from './options.ts'
import { errorResult, toToolResult } from './outcome.ts'
import type { SubagentToolResult } from './outcome.ts'

/** What a framework tells of a call. */
export interface SubagentToolCall {
  /** Aborting it cancels the run. */
  readonly abortSignal?: AbortSignal
  readonly toolCallId?: string
  /** The agent whose turn makes the call; tools of `createAgents()` are told it. @default the tool's `parent` */
  readonly agent?: ParentAgent
}

/** A started run, or the error result that says why there is none. */
export function startCall(options: SubagentToolOptions, input: unknown, call: SubagentToolCall): SubagentRun | SubagentToolResult {
  const read = readInput(input)
  if (typeof read === 'string') return errorResult(read)
  const parent = call.agent ?? options.parent
  if (!parent)
    return errorResult(
      'The subagent was not started: nothing says which agent delegates. The tool has to be made with a parent, or be called by an agent.',
    )
  const maxDepth = depthLimitOf(options)
  try {
    return options.service.start(options.provider, {
      ...configured(options),
      parent,
      prompt: read.prompt,
      label: read.description,
      ...(call.abortSignal && { signal: call.abortSignal }),
      ...(maxDepth !== undefined && { maxDepth }),
    })
  } catch (thrown) {
    return errorResult(messageOf(thrown))
  }
}

/** Awaits and disposes a run; a release that fails never hides what the child achieved (T6). */
export async function finishCall(
  run: SubagentRun,
  { toolName = defaultToolName, logger = stderrLogger }: SubagentToolOptions,
): Promise<SubagentToolResult> {
  const result = await run.result.then(toToolResult, (error: unknown) => errorResult(messageOf(error)))
  try {
    await run.dispose()
    return result
  } catch (error) {
    return withReleaseFailure(result, messageOf(error), logger, `Tool ${toolName}: run ${run.runId}`)
  }
}

function withReleaseFailure(result: SubagentToolResult, message: string, logger: Logger, what: string): SubagentToolResult {
  if (!result.isError) {
    warn(logger, `${what} completed, but its release failed: ${message}`)
    return result
  }
  const [first] = result.content
  return errorResult(`${first?.type === 'text' ? first.text : ''}\n\nIts release failed as well: ${message}`)
}

function configured({ agentOptions, outputSchema, toolFilter, persona, timeoutMs, cancelGraceMs, releaseGraceMs }: SubagentToolOptions) {
  return {
    ...(agentOptions && { agentOptions }),
    ...(outputSchema !== undefined && { outputSchema }),
    ...(toolFilter && { toolFilter }),
    ...(persona !== undefined && { persona }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(cancelGraceMs !== undefined && { cancelGraceMs }),
    ...(releaseGraceMs !== undefined && { releaseGraceMs }),
  }
}

/** The message alone; also for values that are no errors, or whose message cannot be read. */
function messageOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error && typeof thrown.message === 'string' && thrown.message !== '') return thrown.message
  } catch {
    // Described below.
  }
  return describeThrown(thrown)
}
