/**
 * One task from start to end: the agent that gets it is the child of a caller without an agent, so that it is a run like
 * those of its own children: with a deadline, updates, an outcome, and a place in the tree. Contract: C1, C3, C5, C6.
 */
import { createAgents } from '../agents/index.ts'
import { createSubagentService, rootAgent } from '../index.ts'
import { forkProvider, spawnProvider } from '../providers/index.ts'
import { subagentTool } from '../tools/index.ts'
import type { Logger, SubagentResult, SubagentRun } from '../types.ts'
import { loadAgents } from './agents/load-agents.ts'
import { withNamedRuns } from './agents/named-runs.ts'
import { exitCode } from './exit-code.ts'
import type { CliIo } from './io.ts'
import { loadModel } from './models/load-model.ts'
import { hintFor } from './models/model-failure.ts'
import { jsonOutput } from './output/json-output.ts'
import { plainOutput } from './output/plain-output.ts'
import { safeLine } from './output/safe-text.ts'
import { secretFilter } from '../run/secrets.ts'
import type { TaskOutput } from './output/task-output.ts'
import { showsTree, treeOutput } from './output/tree/tree-output.ts'
import { createPause } from './scripted/pause.ts'
import { inWorkspace, systemPrompt } from './system-prompt.ts'
import type { TaskOptions } from './task-options.ts'
import { usageTotal } from './usage-total.ts'
import { UsageError } from './usage-error.ts'
import { startWatching, type Watching } from './watch/watching.ts'
import { watchRuns } from './watch-runs.ts'
import { openWorkspace, type Workspace } from './workspace/workspace.ts'
import { delegationToolName } from './workspace/tool-names.ts'
import { workspaceTools } from './workspace/workspace-tools.ts'

/** What the command waits for a cancelled run, and for its release, in milliseconds: shorter than a service would, since a person waits. */
const graces = { cancelGraceMs: 2000, releaseGraceMs: 2000 }

/** @returns the exit code @throws UsageError before anything was started */
export async function runTask(options: TaskOptions, io: CliIo): Promise<number> {
  const { choice, task, json } = options
  const watched = !json && showsTree(io)
  const [workspace, loaded, definitions] = await Promise.all([
    open(options.folder),
    loadModel(choice, io.env, watched ? createPause(io.after) : undefined),
    options.agents && loadAgents(options.agents, options.via),
  ])
  const clean = secretFilter(io.env)
  const output = json ? jsonOutput(io, loaded.label, clean) : watched ? treeOutput(io, clean) : plainOutput(io, clean)
  const logger = loggerTo(output)

  const service = createSubagentService({ logger, ...(output.snapshot && { inspect: watchRuns(output.snapshot) }) })
  const usage = usageTotal()
  service.on('*', (event) => {
    usage.add(event)
    output.event(event)
  })
  const tools = workspaceTools(workspace)
  const agents = createAgents({ model: loaded.model, system: systemPrompt(definitions !== undefined), logger, tools: () => tools })

  let watching: Watching | undefined
  let run: SubagentRun | undefined
  let interrupted = false
  const stop = (reason: string) => run?.cancel(reason)
  const stopListening = [
    io.onInterrupt(() => {
      interrupted = true
      output.interrupting()
      stop('Interrupted by the user.')
    }),
    io.onReaderGone(() => stop('Nobody reads the output any more.')),
  ]
  try {
    watching = await startWatching(service, options, io, logger)
    if (watching.note !== undefined) output.warn(watching.note)
    output.model(loaded.note, loaded.scripted)
    for (const warning of definitions?.warnings ?? []) logger.warn(warning)
    service.registerProvider(spawnProvider({ agents }))
    service.registerProvider(forkProvider({ agents }))
    // The agent that gets the task is at depth 1 already, its children are at 2.
    const children = { service, maxDepth: options.maxDepth + 1, logger, ...graces }
    tools[delegationToolName] = definitions
      ? withNamedRuns(subagentTool({ ...children, agents: definitions.agents.map(inWorkspace) }))
      : subagentTool({ ...children, provider: options.via })
    run = service.start(options.via, {
      parent: rootAgent({ cwd: workspace.root }),
      prompt: task,
      label: safeLine(task, 72),
      ...graces,
      ...(options.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
    })
    const result = await outcomeOf(run)
    // Before the answer, so that the last line of all is the result: children end, and say so, as the service closes.
    await service.close()
    const hint = result.failure && hintFor(result.failure, { choice, keyVariable: loaded.keyVariable })
    output.end({ result, usage: usage.total(), interrupted, ...(hint !== undefined && { hint }) })
    if (interrupted) return exitCode.interrupted
    await watching.whenSeen(output.warn)
    return result.stopReason === 'completed' ? exitCode.completed : exitCode.otherOutcome
  } finally {
    for (const unlisten of stopListening) unlisten()
    await service.close()
    await watching?.close()
    output.close()
  }
}

/** A fault of the machinery is shown as an outcome like any other. */
async function outcomeOf(run: SubagentRun): Promise<SubagentResult> {
  try {
    return await run.result
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { output: [], stopReason: 'error', failure: { code: 'INTERNAL', phase: 'running', retryable: false, message } }
  }
}

async function open(folder: string): Promise<Workspace> {
  try {
    return await openWorkspace(folder)
  } catch (error) {
    const reason = error instanceof Error && 'reason' in error ? error.reason : undefined
    if (reason === 'missing') throw new UsageError(`--cwd: ${folder} does not exist. Give a folder that does.`, { cause: error })
    if (reason === 'not-a-folder') throw new UsageError(`--cwd: ${folder} is not a folder.`, { cause: error })
    if (reason === 'rules-unreadable') throw new UsageError(`--cwd: ${folder}: ${rulesFault(error as Error)}`, { cause: error })
    throw new UsageError(`--cwd: ${folder} cannot be read.`, { cause: error })
  }
}

/** Names the file, which the message that is made for models does not. */
function rulesFault({ message, cause }: Error): string {
  const path = cause instanceof Error && 'path' in cause ? ` It is ${String(cause.path)}.` : ''
  return `${message}${path}`
}

function loggerTo(output: TaskOutput): Logger {
  const say = (kind: string) => (message: string) => output.warn(`${kind}: ${message}`)
  return { debug: () => {}, warn: say('warning'), error: say('error') }
}
