/** What a child reports to its parent, both ways. */

export interface Todo {
  readonly path: string
  readonly line: number
  readonly kind: 'TODO' | 'FIXME'
  readonly text: string
}

export interface Report {
  /** Number of lines that the searches found. */
  readonly found: number
  readonly filesWithTodos: number
  readonly filesSearched: number
  /** Fewer than `found` where a search showed only some. */
  readonly todos: readonly Todo[]
  /** What was not searched or not shown, and why. */
  readonly gaps: readonly string[]
}

export function writeReport({ found, filesWithTodos, filesSearched, todos, gaps }: Report): string {
  return [
    `${found} found in ${filesWithTodos} of ${filesSearched} files searched.`,
    ...todos.map(({ path, line, kind, text }) => `- ${oneLine(path)}:${line} [${kind}] ${oneLine(text)}`),
    ...gaps.map((gap) => `Not covered: ${oneLine(gap)}`),
  ].join('\n')
}

/** `undefined` where the text is no report. */
export function readReport(text: string): Report | undefined {
  const head = /^(\d+) found in (\d+) of (\d+) files searched\.$/m.exec(text)
  if (!head) return undefined
  return {
    found: Number(head[1]),
    filesWithTodos: Number(head[2]),
    filesSearched: Number(head[3]),
    todos: [...text.matchAll(/^- (.+):(\d+) \[(TODO|FIXME)\] (.*)$/gm)].map(([, path = '', line, kind, words = '']) => ({
      path,
      line: Number(line),
      kind: kind as Todo['kind'],
      text: words,
    })),
    gaps: [...text.matchAll(/^Not covered: (.*)$/gm)].map(([, gap = '']) => gap),
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
