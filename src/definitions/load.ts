/** Agent definitions as people keep them in `.claude/agents/*.md`, as the choice of a subagent tool (T14). */
import { stderrLogger } from '../run/defaults.ts'
import type { SubagentToolAgent } from '../tools/options.ts'
import { checkLoadOptions } from './options.ts'
import type { LoadAgentDefinitionsOptions } from './options.ts'

/**
 * Reads every `*.md` of a folder and its sub-folders: front matter with `name`, `description`, `tools`, `disallowedTools` and
 * `model`, the body as persona. Front matter that Claude Code takes although it is no valid YAML is taken too, such as an
 * unquoted description with colons in it. The list is in the order of the paths.
 *
 * What a host cannot give is a warning with file and line, and is left out: a tool that it lacks, a model that it has no name
 * for, hooks and the like. A file without front matter is no definition and passed over, as is a symbolic link that leads out
 * of the folder. An agent of whose tools none is there gets none (`allow: []`), never all.
 *
 * Node only: the file system is loaded with the first call.
 *
 * @param directory a path, or a URL of `file:`; messages name files as they stand in it
 * @throws SubagentError (a rejection) INVALID_REQUEST for an option of another shape, a folder that is none, and with all
 * problems of a folder at once, each with file and line: front matter that is broken, no `name` or `description`, a name that
 * is none or stands twice, a file that is huge, not UTF-8 or cannot be read
 *
 * @example
 * ```ts
 * const agents = await loadAgentDefinitions('.claude/agents', { tools: [...Object.keys(tools), 'subagent'] })
 * tools['subagent'] = subagentTool({ service, agents })
 * ```
 */
export async function loadAgentDefinitions(
  directory: string | URL,
  options: LoadAgentDefinitionsOptions = {},
): Promise<SubagentToolAgent[]> {
  checkLoadOptions(directory, options)
  const { readFolder } = await import('./read-folder.ts')
  return readFolder(directory, { ...options, logger: options.logger ?? stderrLogger })
}
