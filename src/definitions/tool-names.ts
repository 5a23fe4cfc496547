/** Which of the host's tools a name in a definition means. */

/** Claude Code's names for what the tools of `subagents run` do. */
const defaultToolNames: Readonly<Record<string, string>> = {
  Read: 'read_file',
  LS: 'list_files',
  Glob: 'list_files',
  Grep: 'search_files',
  Task: 'subagent',
  Agent: 'subagent',
}

const otherToolsOfClaudeCode =
  'AskUserQuestion Bash BashOutput Edit EnterPlanMode ExitPlanMode KillBash KillShell LSP MultiEdit NotebookEdit NotebookRead PowerShell SendMessage Skill SlashCommand TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TodoRead TodoWrite WebFetch WebSearch Write'.split(
    ' ',
  )

export function isToolOfClaudeCode(name: string): boolean {
  return Object.hasOwn(defaultToolNames, name) || otherToolsOfClaudeCode.includes(name) || name.startsWith('mcp__')
}

/** The tools that `entry` means, or why there are none, in a few words. */
export function hostToolsOf(
  entry: string,
  { tools, toolNames = {} }: { readonly tools?: readonly string[]; readonly toolNames?: Readonly<Record<string, string>> },
): readonly string[] | string {
  const offers = (name: string | undefined): name is string => name !== undefined && (tools === undefined || tools.includes(name))
  const own = Object.hasOwn(toolNames, entry) ? toolNames[entry] : undefined
  if (offers(own)) return [own]
  // A host that gave the whole tool to an agent that was to have a part of it would give more than its author meant to.
  if (/\(/.test(entry)) return 'a part of a tool cannot be given here'
  if (tools?.includes(entry)) return [entry]
  const standard = Object.hasOwn(defaultToolNames, entry) ? defaultToolNames[entry] : undefined
  if (offers(standard)) return [standard]
  const server = /^(mcp__(?:(?!__).)+)(?:__(.*)\*)?$/.exec(entry)
  if (server) return toolsOfServer(`${server[1]}__${server[2] ?? ''}`, tools)
  const names = [...Object.keys(toolNames), ...Object.keys(defaultToolNames), ...(tools ?? [])]
  const near = names.find((name) => name !== entry && name.toLowerCase() === entry.toLowerCase())
  if (near !== undefined) return hostToolsOf(near, { ...(tools && { tools }), toolNames })
  return tools === undefined ? [entry] : 'not offered here'
}

function toolsOfServer(prefix: string, tools: readonly string[] | undefined): readonly string[] | string {
  if (tools === undefined) return 'which tools this server has was not said'
  const found = tools.filter((name) => name.startsWith(prefix))
  return found.length > 0 ? found : 'not offered here'
}
