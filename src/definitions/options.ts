/** What the host of agent definitions has to offer: which provider, tools and models they are given. */
import { invalid } from '../run/request.ts'
import type { Logger } from '../types.ts'

/** How files become agents of the tool. */
export interface LoadAgentDefinitionsOptions {
  /** Name of the provider that runs each of the agents. @default 'spawn' */
  readonly provider?: string
  /**
   * Names of all tools that the host gives to agents. What a file names beyond them is left out with a warning.
   * @default unknown: names are mapped and kept, and a start that names a tool which is not there fails with INVALID_REQUEST
   */
  readonly tools?: readonly string[]
  /**
   * The host's name for each of Claude Code's tools; goes before the default, entry by entry. A key may be a whole entry of a
   * file, such as `Bash(git:*)`.
   * @default Read: read_file, LS and Glob: list_files, Grep: search_files, Task and Agent: subagent
   */
  readonly toolNames?: Readonly<Record<string, string>>
  /**
   * What `model: sonnet` and the like stand for: a model id, or a model object for agents of this process. A name that is not
   * here is left out with a warning, so that the parent's model is used; `inherit` is, without one.
   * @default none
   */
  readonly models?: Readonly<Record<string, string | object>>
  /** Hears what was left out of a definition, with file and line. @default writes to stderr */
  readonly logger?: Logger
}

/** @throws SubagentError INVALID_REQUEST naming the option */
export function checkLoadOptions(directory: unknown, options: unknown): asserts options is LoadAgentDefinitionsOptions {
  if (!(directory instanceof URL) && (typeof directory !== 'string' || directory === ''))
    throw invalid('directory', 'the path of a folder', directory)
  if (typeof options !== 'object' || options === null) throw invalid('options', 'an object', options)
  const { provider, tools, toolNames, models, logger } = options as Record<string, unknown>
  if (provider !== undefined && (typeof provider !== 'string' || provider === ''))
    throw invalid('provider', 'the name of a provider', provider)
  if (tools !== undefined && !(Array.isArray(tools) && tools.every(isName))) throw invalid('tools', 'an array of tool names', tools)
  if (toolNames !== undefined && !isRecordOf(toolNames, isName)) throw invalid('toolNames', 'an object of tool names', toolNames)
  if (models !== undefined && !isRecordOf(models, (model) => isName(model) || (typeof model === 'object' && model !== null)))
    throw invalid('models', 'an object of model ids or model objects', models)
  if (logger !== undefined && typeof (logger as Logger | null)?.warn !== 'function') throw invalid('logger', 'a logger', logger)
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isRecordOf(value: unknown, isRight: (member: unknown) => boolean): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isRight)
}
