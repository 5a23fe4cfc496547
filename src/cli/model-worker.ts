/** Agents of this process, with a model and tools that read a folder. Contract: C1, C3, C4. */
import { createAgents } from '../agents/index.ts'
import { forkProvider, spawnProvider } from '../providers/index.ts'
import { subagentTool } from '../tools/index.ts'
import { loadAgents } from './agents/load-agents.ts'
import { withNamedRuns } from './agents/named-runs.ts'
import { loadModel } from './models/load-model.ts'
import { hintFor } from './models/model-failure.ts'
import type { Pause } from './scripted/pause.ts'
import { inWorkspace, systemPrompt } from './system-prompt.ts'
import type { ModelTask } from './task-options.ts'
import { UsageError } from './usage-error.ts'
import type { Worker } from './worker.ts'
import { delegationToolName } from './workspace/tool-names.ts'
import { openWorkspace, type Workspace } from './workspace/workspace.ts'
import { workspaceTools } from './workspace/workspace-tools.ts'

/** @param pause makes a script slow enough to be watched @throws UsageError */
export async function modelWorker(options: ModelTask, env: Parameters<typeof loadModel>[1], pause?: Pause): Promise<Worker> {
  const { choice, via } = options
  const [workspace, loaded] = await Promise.all([open(options.folder), loadModel(choice, env, pause)])
  const definitions = options.agents && (await loadAgents(options.agents, via, loaded.named))
  return {
    label: loaded.label,
    note: loaded.note,
    scripted: loaded.scripted,
    provider: via,
    folder: workspace.root,
    warnings: definitions?.warnings ?? [],
    request: {},
    agentNames: (definitions?.agents ?? []).map(({ name }) => name),
    prepare(service, { logger, graces }) {
      const tools = workspaceTools(workspace)
      const agents = createAgents({ model: loaded.model, system: systemPrompt(definitions !== undefined), logger, tools: () => tools })
      service.registerProvider(spawnProvider({ agents }))
      service.registerProvider(forkProvider({ agents }))
      // The agent that gets the task is at depth 1 already, its children are at 2.
      const children = { service, maxDepth: options.maxDepth + 1, logger, ...graces }
      tools[delegationToolName] = definitions
        ? withNamedRuns(subagentTool({ ...children, agents: definitions.agents.map(inWorkspace) }))
        : subagentTool({ ...children, provider: via })
      return agents
    },
    hintFor: (failure) => hintFor(failure, { choice, keyVariable: loaded.keyVariable }),
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
