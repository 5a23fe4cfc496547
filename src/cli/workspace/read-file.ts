import { linesOf, readTextFile } from './text-file.ts'
import { locate, type Workspace } from './workspace.ts'
import { WorkspaceError } from './workspace-error.ts'

export interface FileExcerpt {
  readonly path: string
  /** The first and last line that `text` holds, counted from 1; 0 and 0 for an empty file. */
  readonly startLine: number
  readonly endLine: number
  readonly totalLines: number
  readonly text: string
  /** What was left out. Absent when nothing was. */
  readonly notes?: readonly string[]
}

/**
 * The lines `startLine` to `endLine` (both included, from 1) of a text file, as far as the bounds allow (C4).
 *
 * @throws WorkspaceError
 */
export async function readFile(
  workspace: Workspace,
  path: string,
  range: { readonly startLine?: number | undefined; readonly endLine?: number | undefined } = {},
  signal?: AbortSignal,
): Promise<FileExcerpt> {
  signal?.throwIfAborted()
  const located = await locate(workspace, path)
  const file = await readTextFile(located, workspace.limits.fileBytes, signal)
  const lines = linesOf(file.text)
  const start = range.startLine ?? 1
  const wanted = Math.min(range.endLine ?? lines.length, lines.length)
  if (start < 1 || (range.endLine !== undefined && range.endLine < start)) {
    throw new WorkspaceError(
      'invalid-input',
      `There are no lines ${start} to ${range.endLine ?? 'the end'}: give startLine from 1 and endLine not before it.`,
    )
  }
  if (start > Math.max(lines.length, 1))
    throw new WorkspaceError('invalid-input', `${located.path} has ${lines.length} lines; startLine ${start} is behind its end.`)

  const { lines: mostLines, characters: mostCharacters, lineCharacters } = workspace.limits
  const taken: string[] = []
  let characters = 0
  let cutLines = 0
  for (const line of lines.slice(start - 1, wanted)) {
    const cut = line.length > lineCharacters ? `${line.slice(0, lineCharacters)}… [${line.length - lineCharacters} more characters]` : line
    if (taken.length >= mostLines || (taken.length > 0 && characters + cut.length > mostCharacters)) break
    if (cut !== line) cutLines++
    characters += cut.length + 1
    taken.push(cut)
  }
  const end = lines.length === 0 ? 0 : start - 1 + taken.length
  const notes = []
  if (end < wanted) notes.push(`Shows lines ${start} to ${end} of ${lines.length}. Give startLine ${end + 1} to read on.`)
  if (cutLines > 0) notes.push(`Lines longer than ${lineCharacters} characters were cut: ${cutLines}.`)
  if (!file.exact) notes.push('The file is not valid UTF-8; bytes that could not be read show as \uFFFD.')
  return {
    path: located.path,
    startLine: lines.length === 0 ? 0 : start,
    endLine: end,
    totalLines: lines.length,
    text: taken.join('\n'),
    ...(notes.length > 0 ? { notes } : {}),
  }
}
