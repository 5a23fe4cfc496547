/** Names of the tools that agents of the command have, without what they do: to be named before there is a workspace (C4). */
export const workspaceToolNames = ['list_files', 'read_file', 'search_files'] as const
export type WorkspaceToolName = (typeof workspaceToolNames)[number]

/** The tool that delegates. */
export const delegationToolName = 'subagent'

export const toolNames: readonly string[] = [...workspaceToolNames, delegationToolName]
