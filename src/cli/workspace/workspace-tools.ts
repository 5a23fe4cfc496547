/** The workspace as AI SDK tools: `list_files`, `read_file`, `search_files`. They read, and change nothing. Contract: C4. */
import { jsonSchema, tool, type ToolSet } from 'ai'
import { listFiles } from './list-files.ts'
import { readFile } from './read-file.ts'
import { searchFiles } from './search-files.ts'
import type { WorkspaceToolName } from './tool-names.ts'
import { fieldsOf, flagField, lineField, requiredText, textField } from './tool-input.ts'
import type { Workspace } from './workspace.ts'

const path = { type: 'string', description: 'Relative to the workspace, with slashes.' } as const

/** A tool that cannot do its work throws a WorkspaceError; each honours the call's `abortSignal`. */
export function workspaceTools(workspace: Workspace): ToolSet {
  const tools: Record<WorkspaceToolName, ToolSet[string]> = {
    list_files: tool({
      description:
        'Lists the files of the workspace, or of one of its folders, sub-folders included. Files that .gitignore or .ignore name are left out. ' +
        '`total` counts all files, `folders` the files in each folder, `notes` says what is not shown.',
      inputSchema: jsonSchema({
        type: 'object',
        properties: { path: { ...path, description: 'A folder. Default: the whole workspace.' } },
        additionalProperties: false,
      }),
      execute: (input: unknown, { abortSignal }) => listFiles(workspace, textField(fieldsOf(input), 'path') ?? '.', abortSignal),
    }),
    read_file: tool({
      description: 'Reads a text file of the workspace, all of it or a range of lines. `notes` says what was cut and how to read on.',
      inputSchema: jsonSchema({
        type: 'object',
        properties: {
          path,
          startLine: { type: 'integer', minimum: 1, description: 'First line, counted from 1. Default: 1.' },
          endLine: { type: 'integer', minimum: 1, description: 'Last line. Default: the last of the file.' },
        },
        required: ['path'],
        additionalProperties: false,
      }),
      execute: (input: unknown, { abortSignal }) => {
        const fields = fieldsOf(input)
        return readFile(
          workspace,
          requiredText(fields, 'path'),
          { startLine: lineField(fields, 'startLine'), endLine: lineField(fields, 'endLine') },
          abortSignal,
        )
      },
    }),
    search_files: tool({
      description:
        'Finds lines in the text files of the workspace. Gives path, line number and text of each line that matches; `total` counts them all, ' +
        '`notes` says what is not shown or was not searched.',
      inputSchema: jsonSchema({
        type: 'object',
        properties: {
          query: { type: 'string', description: 'Text to look for, taken as it stands unless regex is true.' },
          regex: { type: 'boolean', description: 'Take query as a JavaScript regular expression, matched line by line. Default: false.' },
          ignoreCase: { type: 'boolean', description: 'Default: false.' },
          path: { ...path, description: 'A folder or a file to search. Default: the whole workspace.' },
          recursive: { type: 'boolean', description: 'Search sub-folders too. Default: true.' },
        },
        required: ['query'],
        additionalProperties: false,
      }),
      execute: (input: unknown, { abortSignal }) => {
        const fields = fieldsOf(input)
        const options = {
          query: requiredText(fields, 'query'),
          regex: flagField(fields, 'regex'),
          ignoreCase: flagField(fields, 'ignoreCase'),
          path: textField(fields, 'path'),
          recursive: flagField(fields, 'recursive'),
        }
        return searchFiles(workspace, options, abortSignal)
      },
    }),
  }
  return tools
}
