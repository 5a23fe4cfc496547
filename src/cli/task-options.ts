import { resolve } from 'node:path'
import { agentsFolder, type AgentsFolder } from './agents/agents-folder.ts'
import { parseDuration } from './duration.ts'
import { parseMaxDepth } from './max-depth.ts'
import { chooseModel, type ModelChoice } from './models/model-choice.ts'
import { pick } from './pick.ts'
import { UsageError } from './usage-error.ts'
import { defaultProvider, parseVia, type ProviderName } from './via.ts'

/** A task as the command line gives it, checked. */
export interface TaskOptions {
  readonly task: string
  /** Absolute; whether it exists is not known yet. */
  readonly folder: string
  readonly choice: ModelChoice
  readonly via: ProviderName
  /** Levels of children below the agent that gets the task. */
  readonly maxDepth: number
  /** Whose agents are the choice of whoever delegates. @default children like the agent that gets the task */
  readonly agents?: AgentsFolder
  readonly timeoutMs?: number
  readonly json: boolean
  /** Where the journal goes; absolute. */
  readonly record?: string
  readonly inspect?: Viewer
}

/** The flags of `run` and `demo` as commander gives them. */
export interface TaskFlags {
  readonly cwd?: string
  readonly via?: string
  readonly agents?: string
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

/** @param model what `--model` said, or its default @throws UsageError */
export function readTaskOptions(task: string, model: string, flags: TaskFlags, defaultFolder: string, cwd: string): TaskOptions {
  if (task.trim() === '')
    throw new UsageError('The task is empty. Say what shall be done, in quotes: subagents run "Find every TODO and rank them"')
  if (flags.cwd?.trim() === '') throw new UsageError('--cwd is empty. Give the folder that the agents may read, or . for this one.')
  if (flags.record?.trim() === '') throw new UsageError('--record is empty. Give the file that the journal of the runs goes to: runs.jsonl')
  return {
    task,
    folder: flags.cwd === undefined ? defaultFolder : resolve(cwd, flags.cwd),
    via: flags.via === undefined ? defaultProvider : parseVia(flags.via),
    choice: chooseModel(model, flags.baseUrl),
    maxDepth: flags.maxDepth === undefined ? defaultMaxDepth : parseMaxDepth(flags.maxDepth),
    ...(flags.agents !== undefined && { agents: agentsFolder(flags.agents, '--agents', cwd) }),
    ...(flags.timeout !== undefined && { timeoutMs: parseDuration(flags.timeout) }),
    json: flags.json === true,
    ...(flags.record !== undefined && { record: resolve(cwd, flags.record) }),
    ...(flags.inspect !== undefined && {
      inspect: pick(flags.inspect, viewers, `--inspect ${JSON.stringify(flags.inspect)}: there is no such viewer`),
    }),
  }
}
