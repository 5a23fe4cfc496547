import { cpuMilliseconds, createMatcher, type LineMatch, type LineMatcher, type MatcherOptions } from './match-lines.ts'
import { linesOf, readTextFile } from './text-file.ts'
import { some, walk, type WalkedFile } from './walk.ts'
import { locate, type Workspace } from './workspace.ts'
import { WorkspaceError } from './workspace-error.ts'

export interface SearchOptions extends MatcherOptions {
  /** A file, or a folder. @default '.' */
  readonly path?: string | undefined
  /** Also what is in sub-folders. @default true */
  readonly recursive?: boolean | undefined
}

export interface SearchResult {
  /** In the order of the paths, then of the lines. */
  readonly matches: readonly { readonly path: string; readonly line: number; readonly text: string }[]
  /** Number of lines that match, also of those not shown. */
  readonly total: number
  readonly filesWithMatches: number
  readonly filesSearched: number
  /** What was left out or cut. Absent when nothing was. */
  readonly notes?: readonly string[]
}

/** Finds lines in the text files below `path` (C4). @throws WorkspaceError */
export async function searchFiles(workspace: Workspace, options: SearchOptions, signal?: AbortSignal): Promise<SearchResult> {
  const { limits } = workspace
  const matcher = createMatcher(options)
  const { files, notes: walkNotes, single } = await filesOf(workspace, options, signal)
  const matches: { path: string; line: number; text: string }[] = []
  const left: Record<'binary' | 'huge' | 'unreadable' | 'slow', string[]> = { binary: [], huge: [], unreadable: [], slow: [] }
  let total = 0
  let withMatches = 0
  let searched = 0
  let bytes = 0
  let budget = limits.searchMs
  let cutLines = 0
  let unsearched = 0

  for (const [index, file] of files.entries()) {
    signal?.throwIfAborted()
    if (bytes > limits.searchBytes || budget <= 0) {
      unsearched = files.length - index
      break
    }
    const content = await readTextFile(file, limits.fileBytes, signal).catch((error: unknown) => {
      if (single || !(error instanceof WorkspaceError)) throw error
      if (error.reason === 'binary' || error.reason === 'huge') left[error.reason].push(file.path)
      else left.unreadable.push(file.path)
      return undefined
    })
    if (content === undefined) continue
    bytes += content.bytes
    const lines = linesOf(content.text).map((line) => {
      if (line.length <= limits.lineCharacters) return line
      cutLines++
      return line.slice(0, limits.lineCharacters)
    })
    const found = timed(matcher, lines, Math.min(limits.fileMs, budget), (spent) => (budget -= spent))
    if (found === undefined) {
      left.slow.push(file.path)
      continue
    }
    searched++
    total += found.length
    if (found.length > 0) withMatches++
    for (const match of found) {
      if (matches.length >= limits.matches) break
      matches.push({ path: file.path, line: match.line, text: excerpt(lines[match.line - 1] ?? '', match.column, limits.matchCharacters) })
    }
  }

  const notes = [...walkNotes]
  if (total > matches.length)
    notes.push(`Shows ${matches.length} of ${total} matching lines. Search a sub-folder or a file to see the rest.`)
  if (unsearched > 0)
    notes.push(`Stopped before the end: ${unsearched} files were not searched. Search a sub-folder, or use a simpler pattern.`)
  if (left.slow.length > 0) notes.push(`The pattern took too long in ${some(left.slow)}. Use a simpler one, without nested repetition.`)
  if (left.binary.length > 0) notes.push(`Binary files are not searched: ${some(left.binary)}.`)
  if (left.huge.length > 0) notes.push(`Files larger than ${limits.fileBytes} bytes are not searched: ${some(left.huge)}.`)
  if (left.unreadable.length > 0) notes.push(`Files that cannot be read: ${some(left.unreadable)}.`)
  if (cutLines > 0) notes.push(`Of lines longer than ${limits.lineCharacters} characters only the beginning was searched: ${cutLines}.`)
  return { matches, total, filesWithMatches: withMatches, filesSearched: searched, ...(notes.length > 0 ? { notes } : {}) }
}

async function filesOf(workspace: Workspace, options: SearchOptions, signal: AbortSignal | undefined) {
  const start = await locate(workspace, options.path ?? '.')
  if (!start.isFolder) return { files: [start] satisfies WalkedFile[], notes: [], single: true }
  return { ...(await walk(workspace, start.path, { recursive: options.recursive, signal })), single: false }
}

function timed(
  matcher: LineMatcher,
  lines: readonly string[],
  milliseconds: number,
  spend: (milliseconds: number) => void,
): LineMatch[] | undefined {
  const began = cpuMilliseconds()
  const found = matcher.match(lines, milliseconds)
  spend(cpuMilliseconds() - began)
  return found
}

/** At most `most` characters of the line, with the place of the match among them. */
function excerpt(line: string, column: number, most: number): string {
  const text = line.trim()
  if (text.length <= most) return text
  const at = Math.max(0, column - (line.length - line.trimStart().length) - Math.floor(most / 4))
  const from = Math.min(at, text.length - most)
  return `${from > 0 ? '…' : ''}${text.slice(from, from + most)}${from + most < text.length ? '…' : ''}`
}
