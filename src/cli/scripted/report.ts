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
    ...todos.map(({ path, line, kind, text }) => `- ${writePath(path)}:${line} [${kind}] ${oneLine(text)}`),
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
    todos: [...text.matchAll(todoLine)].map(([, path = '', line, kind, words = '']) => ({
      path: readPath(path),
      line: Number(line),
      kind: kind as Todo['kind'],
      text: words,
    })),
    gaps: [...text.matchAll(/^Not covered: (.*)$/gm)].map(([, gap = '']) => gap),
  }
}

const quoted = String.raw`"(?:[^"\\\n]|\\.)*"`
/** A path without quotes has no colon in it, so that the first one ends it, whatever the text of the comment is. */
const todoLine = new RegExp(String.raw`^- (${quoted}|[^":\n][^:\n]*):(\d+) \[(TODO|FIXME)\] (.*)$`, 'gm')

/** In quotes where it could be taken for another path, or for the end of one. */
function writePath(path: string): string {
  if (!/[":\\]/.test(path) && path === oneLine(path)) return path
  return JSON.stringify(path).replace(/[\u0085\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function readPath(written: string): string {
  if (!written.startsWith('"')) return written
  try {
    return JSON.parse(written) as string
  } catch {
    return written
  }
}

/** White space of any kind as single spaces, and none around it. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
