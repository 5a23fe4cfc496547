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
  /** `undefined` when the time was up before all lines were looked at. */
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

const script = new Script('lines.map((line) => line.search(pattern))')

function regexMatcher(query: string, ignoreCase: boolean): LineMatcher {
  let pattern: RegExp
  try {
    pattern = new RegExp(query, ignoreCase ? 'i' : '')
  } catch (error) {
    throw new WorkspaceError('invalid-pattern', `${query} is not a regular expression: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
  const context = createContext({ pattern, lines: [] as readonly string[] })
  return {
    match(lines, milliseconds) {
      context['lines'] = lines
      try {
        const columns = script.runInContext(context, { timeout: Math.max(1, Math.ceil(milliseconds)) }) as number[]
        return columns.flatMap((column, index) => (column === -1 ? [] : [{ line: index + 1, column }]))
      } catch (error) {
        if (systemCode(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined
        throw error
      }
    },
  }
}
