/**
 * Finds the lines that match. A regular expression runs under a deadline: JavaScript's can take longer than the age of
 * the universe on a short line, and nothing but ending its virtual machine stops it. Contract: C4.
 */
import { createContext, Script } from 'node:vm'
import { systemCode, WorkspaceError } from './workspace-error.ts'

/** Where a line matches. */
export interface LineMatch {
  /** Counted from 1. */
  readonly line: number
  /** Index of the first matching character in the line. */
  readonly column: number
}

export interface LineMatcher {
  /** `undefined` when the time, in milliseconds of computing, was up before all lines were looked at. */
  match(lines: readonly string[], milliseconds: number): LineMatch[] | undefined
}

export interface MatcherOptions {
  readonly query: string
  /** Take `query` as a JavaScript regular expression. @default false: as it stands */
  readonly regex?: boolean | undefined
  /** @default false */
  readonly ignoreCase?: boolean | undefined
}

/** @throws WorkspaceError `invalid-pattern`, `invalid-input` */
export function createMatcher({ query, regex = false, ignoreCase = false }: MatcherOptions): LineMatcher {
  if (query === '') throw new WorkspaceError('invalid-input', 'The query is empty. Give the text to look for.')
  return regex ? regexMatcher(query, ignoreCase) : literalMatcher(query, ignoreCase)
}

function literalMatcher(query: string, ignoreCase: boolean): LineMatcher {
  const fold = (text: string) => (ignoreCase ? text.toLowerCase() : text)
  const wanted = fold(query)
  return {
    match: (lines) =>
      lines.flatMap((line, index) => {
        const column = fold(line).indexOf(wanted)
        return column === -1 ? [] : [{ line: index + 1, column }]
      }),
  }
}

function regexMatcher(query: string, ignoreCase: boolean): LineMatcher {
  let pattern: RegExp
  try {
    pattern = new RegExp(query, ignoreCase ? 'i' : '')
  } catch (error) {
    throw new WorkspaceError(
      'invalid-pattern',
      `${query} is not a regular expression: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    )
  }
  const search = cannotExplode(query) ? (lines: readonly string[]) => lines.map((line) => line.search(pattern)) : underDeadline(pattern)
  return {
    match: (lines, milliseconds) =>
      search(lines, milliseconds)?.flatMap((column, index) => (column === -1 ? [] : [{ line: index + 1, column }])),
  }
}

/** With one repetition at most, and that not of a group, the time is bounded by the square of the line's length. */
function cannotExplode(query: string): boolean {
  return !/\)[*+?{]|[*+?{].*[*+?{]/s.test(query)
}

const script = new Script('lines.map((line) => line.search(pattern))')
/** A deadline runs by the wall clock. A machine that gave the process no time meanwhile says nothing about the pattern. */
const mostAttempts = 10

function underDeadline(pattern: RegExp): (lines: readonly string[], milliseconds: number) => number[] | undefined {
  const context = createContext({ pattern, lines: [] as readonly string[] })
  return (lines, milliseconds) => {
    context['lines'] = lines
    for (let attempt = 1; ; attempt++) {
      const before = cpuMilliseconds()
      try {
        return script.runInContext(context, { timeout: Math.max(1, Math.ceil(milliseconds)) }) as number[]
      } catch (error) {
        if (systemCode(error) !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
        if (attempt === mostAttempts || cpuMilliseconds() - before > milliseconds / 2) return undefined
      }
    }
  }
}

/** Time that the process has computed for, in milliseconds. */
export function cpuMilliseconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
