/** A child of the demo: searches its part, reads the lines around what it found, reports. Contract: C1, C2. */
import type { Conversation, ToolCall } from './conversation.ts'
import type { ScriptStep } from './language-model.ts'
import { namePart, type Part } from './part.ts'
import { writeReport, type Todo } from './report.ts'
import { todoText } from './todo-text.ts'
import { isRecord, notesOf, numberIn, recordsIn, textIn } from './tool-value.ts'

const pattern = String.raw`\b(TODO|FIXME)\b`
/** Files that are read for the whole text of their comments; of the others the line that the search shows has to do. */
const mostReads = 12

const nothingFound = { found: 0, filesWithTodos: 0, filesSearched: 0, todos: [] }

export function nextChildStep(part: Part, { calls, tools }: Conversation): ScriptStep {
  const has = (name: string) => tools?.includes(name) !== false
  if (!has('search_files'))
    return { text: writeReport({ ...nothingFound, gaps: [`${namePart(part)}: the agent that was asked has no search_files.`] }) }
  const searches = calls.filter(({ name }) => name === 'search_files')
  const reads = calls.filter(({ name }) => name === 'read_file')
  if (searches.length < part.length) {
    return { calls: part.map(({ path, recursive }) => ({ name: 'search_files', input: { query: pattern, regex: true, path, recursive } })) }
  }
  const found = searches.map(readSearch)
  const files = groupByFile(found.flatMap(({ matches }) => matches))
  if (reads.length === 0 && files.size > 0 && has('read_file')) {
    const ranges = [...files]
      .slice(0, mostReads)
      .map(([path, lines]) => ({ path, startLine: Math.min(...lines), endLine: Math.max(...lines) + 2 }))
    return { calls: ranges.map((input) => ({ name: 'read_file', input })) }
  }
  const source = readLines(reads)
  const sum = (field: 'total' | 'filesWithMatches' | 'filesSearched') => found.reduce((all, search) => all + search[field], 0)
  return {
    text: writeReport({
      found: sum('total'),
      filesWithTodos: sum('filesWithMatches'),
      filesSearched: sum('filesSearched'),
      todos: found.flatMap(({ matches }) => matches).map(({ path, line, text }) => todoAt(path, line, text, source.get(path))),
      gaps: [
        ...found.flatMap(({ gaps }) => gaps),
        ...(files.size > 0 && !has('read_file')
          ? [`Lines after the first of a comment in ${namePart(part)}: the agent that was asked has no read_file.`]
          : []),
      ],
    }),
  }
}

interface Match {
  readonly path: string
  readonly line: number
  readonly text: string
}

function readSearch({ input, outcome }: ToolCall) {
  const place = isRecord(input) ? (textIn(input, 'path') ?? '.') : '.'
  const nothing = { matches: [] as Match[], total: 0, filesWithMatches: 0, filesSearched: 0 }
  if ('error' in outcome) return { ...nothing, gaps: [`${place} could not be searched: ${outcome.error}`] }
  const { value } = outcome
  if (!isRecord(value)) return { ...nothing, gaps: [`${place}: the search gave no result that can be read.`] }
  const matches = recordsIn(value, 'matches').flatMap((match): Match[] => {
    const path = textIn(match, 'path')
    const line = numberIn(match, 'line')
    return path === undefined || line === undefined ? [] : [{ path, line, text: textIn(match, 'text') ?? '' }]
  })
  const count = (field: string, otherwise: number) => numberIn(value, field) ?? otherwise
  return {
    matches,
    total: count('total', matches.length),
    filesWithMatches: count('filesWithMatches', groupByFile(matches).size),
    filesSearched: count('filesSearched', 0),
    gaps: notesOf(value),
  }
}

function groupByFile(matches: readonly Match[]): Map<string, number[]> {
  const files = new Map<string, number[]>()
  for (const { path, line } of matches) files.set(path, [...(files.get(path) ?? []), line])
  return files
}

interface Excerpt {
  readonly startLine: number
  readonly lines: readonly string[]
}

function readLines(reads: readonly ToolCall[]): Map<string, Excerpt> {
  return new Map(
    reads.flatMap(({ outcome }): [string, Excerpt][] => {
      if ('error' in outcome || !isRecord(outcome.value)) return []
      const path = textIn(outcome.value, 'path')
      const text = textIn(outcome.value, 'text')
      return path === undefined || text === undefined
        ? []
        : [[path, { startLine: numberIn(outcome.value, 'startLine') ?? 1, lines: text.split('\n') }]]
    }),
  )
}

/** The lines that were read, when they have the mark where the search saw it; else the line that the search showed. */
function todoAt(path: string, line: number, shown: string, excerpt: Excerpt | undefined): Todo {
  const read = excerpt?.lines.slice(line - excerpt.startLine) ?? []
  return { path, line, ...(todoText(read) ?? todoText([shown]) ?? { kind: 'TODO', text: shown }) }
}
