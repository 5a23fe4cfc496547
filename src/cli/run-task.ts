/**
 * One task from start to end: the agent that gets it is the child of a caller without an agent, so that it is a run like
 * those of its own children: with a deadline, updates, an outcome, and a place in the tree. Contract: C1, C3, C5, C6.
 */
import { createSubagentService, rootAgent } from '../index.ts'
import type { Logger, SubagentResult, SubagentRun } from '../types.ts'
import { exitCode } from './exit-code.ts'
import { checkHooksFile } from './hooks/hooks-file.ts'
import { taskHooks, type TaskHooks } from './hooks/task-hooks.ts'
import type { CliIo } from './io.ts'
import { jsonOutput } from './output/json-output.ts'
import { plainOutput } from './output/plain-output.ts'
import { safeLine } from './output/safe-text.ts'
import { secretFilter } from '../run/secrets.ts'
import type { TaskOutput } from './output/task-output.ts'
import { showsTree, treeOutput } from './output/tree/tree-output.ts'
import { createPause } from './scripted/pause.ts'
import type { TaskOptions } from './task-options.ts'
import { usageTotal } from './usage-total.ts'
import { startWatching, type Watching } from './watch/watching.ts'
import { watchRuns } from './watch-runs.ts'
import type { Worker } from './worker.ts'

/** What the command waits for a cancelled run, and for its release, in milliseconds: shorter than a service would, since a person waits. */
const graces = { cancelGraceMs: 2000, releaseGraceMs: 2000 }
/** A process is asked to stop, then to end, then is ended: that is not to be cut short, or it is left. */
const processGraces = { cancelGraceMs: 2000, releaseGraceMs: 10_000 }

/** @returns the exit code @throws UsageError before anything was started */
export async function runTask(options: TaskOptions, io: CliIo): Promise<number> {
  const { task, json } = options
  if (options.hooks) checkHooksFile(options.hooks)
  const watched = !json && showsTree(io)
  const worker = await loadWorker(options, io, watched)
  const runGraces = options.kind === 'agent' ? processGraces : graces
  const clean = secretFilter(io.env, { also: options.kind === 'agent' ? options.env : [] })
  const output = json ? jsonOutput(io, worker.label, clean) : watched ? treeOutput(io, clean) : plainOutput(io, clean)
  const logger = loggerTo(output)

  const service = createSubagentService({ logger, ...(output.snapshot && { inspect: watchRuns(output.snapshot) }) })
  const usage = usageTotal()
  service.on('*', (event) => {
    usage.add(event)
    worker.hear?.(event)
    output.event(event)
  })

  let watching: Watching | undefined
  let hooks: TaskHooks | undefined
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
    output.model(worker.note, worker.scripted)
    for (const warning of worker.warnings) logger.warn(warning)
    const agents = worker.prepare(service, {
      io,
      output,
      logger,
      clean,
      graces,
      ...(watching.permissions && { page: watching.permissions }),
    })
    if (options.hooks)
      hooks = taskHooks({ file: options.hooks, service, ...(agents && { agents }), agentNames: worker.agentNames ?? [], logger, io })
    run = service.start(worker.provider, {
      parent: rootAgent({ cwd: worker.folder }),
      prompt: task,
      label: safeLine(task, 72),
      ...worker.request,
      ...runGraces,
      ...(options.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
    })
    const result = await outcomeOf(run)
    // Before the answer, so that the last line of all is the result: children end, and say so, as the service closes.
    await service.close()
    const hint = result.failure && worker.hintFor(result.failure)
    output.end({ result, usage: usage.total(), interrupted, ...(hint !== undefined && { hint }) })
    for (const unlisten of stopListening.splice(0)) unlisten()
    // One that was interrupted goes at once.
    if (!interrupted) await hooks?.finish()
    if (interrupted) return exitCode.interrupted
    await watching.whenSeen(output.warn)
    return result.stopReason === 'completed' ? exitCode.completed : exitCode.otherOutcome
  } finally {
    for (const unlisten of stopListening) unlisten()
    await service.close()
    await watching?.close()
    await hooks?.dispose()
    output.close()
  }
}

/** What one kind of worker needs is not loaded for the other. */
async function loadWorker(options: TaskOptions, io: CliIo, watched: boolean): Promise<Worker> {
  if (options.kind === 'agent') return (await import('./acp/agent-worker.ts')).agentWorker(options, io.env)
  const { modelWorker } = await import('./model-worker.ts')
  return modelWorker(options, io.env, watched ? createPause(io.after) : undefined)
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

function loggerTo(output: TaskOutput): Logger {
  const say = (kind: string) => (message: string) => output.warn(`${kind}: ${message}`)
  return { debug: () => {}, warn: say('warning'), error: say('error') }
}
