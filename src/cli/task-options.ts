import { resolve } from 'node:path'
import { anyAgent, chooseAgent, type AgentChoice } from './acp/agent-choice.ts'
import { parsePermission, type PermissionChoice } from './acp/permission-choice.ts'
import { agentsFolder, type AgentsFolder } from './agents/agents-folder.ts'
import { parseDuration } from './duration.ts'
import { hooksFile, type HooksFile } from './hooks/hooks-file.ts'
import { parseMaxDepth } from './max-depth.ts'
import { chooseModel, type ModelChoice } from './models/model-choice.ts'
import { pick } from './pick.ts'
import { UsageError } from './usage-error.ts'
import { parseVariables } from './acp/variables.ts'
import { defaultProvider, parseVia, providerNames, type ProviderName } from './via.ts'

interface AnyTask {
  readonly task: string
  /** Absolute; whether it exists is not known yet. */
  readonly folder: string
  readonly timeoutMs?: number
  readonly json: boolean
  /** Where the journal goes; absolute. */
  readonly record?: string
  readonly inspect?: Viewer
  /** What runs at the start and the end of each agent. */
  readonly hooks?: HooksFile
}

/** A task for agents of this process. */
export interface ModelTask extends AnyTask {
  readonly kind: 'model'
  readonly choice: ModelChoice
  readonly via: ProviderName
  /** Levels of children below the agent that gets the task. */
  readonly maxDepth: number
  /** Whose agents are the choice of whoever delegates. @default children like the agent that gets the task */
  readonly agents?: AgentsFolder
}

/** A task for an agent that is a program of its own. */
export interface AgentTask extends AnyTask {
  readonly kind: 'agent'
  readonly agent: AgentChoice
  /** Id of a model that the agent knows. @default its own choice */
  readonly model?: string
  readonly permission: PermissionChoice
  /** Names of variables of the environment that are passed on to it. */
  readonly env: readonly string[]
}

/** A task as the command line gives it, checked. */
export type TaskOptions = ModelTask | AgentTask

/** The flags of `run` and `demo` as commander gives them. */
export interface TaskFlags {
  readonly cwd?: string
  readonly via?: string
  readonly command?: string
  readonly permission?: string
  readonly env?: readonly string[]
  readonly agents?: string
  readonly hooks?: string
  readonly model?: string
  readonly baseUrl?: string
  readonly maxDepth?: string
  readonly timeout?: string
  readonly json?: boolean
  readonly record?: string
  readonly inspect?: string
}

/** What shows the runs while they go on. */
export const viewers = ['page', 'stately'] as const
export type Viewer = (typeof viewers)[number]

export const defaultMaxDepth = 3

/**
 * @param defaultModel of a task for agents of this process; where there is none, one without a model is read as if for the script
 * @throws UsageError
 */
export function readTaskOptions(
  task: string,
  flags: TaskFlags,
  defaultModel: string | undefined,
  defaultFolder: string,
  cwd: string,
): TaskOptions {
  if (task.trim() === '')
    throw new UsageError('The task is empty. Say what shall be done, in quotes: subagents run "Find every TODO and rank them"')
  if (flags.cwd?.trim() === '') throw new UsageError('--cwd is empty. Give the folder that the agents may read, or . for this one.')
  if (flags.record?.trim() === '') throw new UsageError('--record is empty. Give the file that the journal of the runs goes to: runs.jsonl')
  const via = flags.via === undefined ? ({ kind: 'provider', name: defaultProvider } as const) : parseVia(flags.via)
  const common = {
    task,
    folder: flags.cwd === undefined ? defaultFolder : resolve(cwd, flags.cwd),
    ...(flags.timeout !== undefined && { timeoutMs: parseDuration(flags.timeout) }),
    json: flags.json === true,
    ...(flags.hooks !== undefined && { hooks: hooksFile(flags.hooks, cwd) }),
    ...(flags.record !== undefined && { record: resolve(cwd, flags.record) }),
    ...(flags.inspect !== undefined && {
      inspect: pick(flags.inspect, viewers, `--inspect ${JSON.stringify(flags.inspect)}: there is no such viewer`),
    }),
  }
  if (via.kind === 'agent') {
    refuse(
      flags,
      modelFlags,
      `--via ${via.name} runs an agent that has its own. Leave it out, or take --via ${providerNames.join(' or ')}.`,
    )
    if (flags.model?.trim() === '') throw new UsageError('--model is empty. Give the id of a model that the agent knows, or leave it out.')
    return {
      kind: 'agent',
      ...common,
      agent: chooseAgent(via.name, flags.command, cwd),
      ...(flags.model !== undefined && { model: flags.model }),
      permission: flags.permission === undefined ? 'ask' : parsePermission(flags.permission),
      env: parseVariables(flags.env),
    }
  }
  if (flags.model === undefined && defaultModel === undefined && flags.baseUrl !== undefined)
    throw new UsageError(`--base-url needs the model too: --model VENDOR/ID, for example --model local/llama3.2`)
  refuse(flags, agentFlags, `that is for an agent that is a program of its own: --via ${anyAgent} --command "opencode acp"`)
  return {
    kind: 'model',
    ...common,
    via: via.name,
    choice: chooseModel(flags.model ?? defaultModel ?? 'scripted', flags.baseUrl),
    maxDepth: flags.maxDepth === undefined ? defaultMaxDepth : parseMaxDepth(flags.maxDepth),
    ...(flags.agents !== undefined && { agents: agentsFolder(flags.agents, '--agents', cwd) }),
  }
}

const modelFlags = { baseUrl: '--base-url', agents: '--agents', maxDepth: '--max-depth' } as const
const agentFlags = { command: '--command', permission: '--permission', env: '--env' } as const

function refuse(flags: TaskFlags, unfit: Partial<Record<keyof TaskFlags, string>>, why: string): void {
  for (const [name, flag] of Object.entries(unfit))
    if (flags[name as keyof TaskFlags] !== undefined) throw new UsageError(`${flag}: ${why}`)
}
