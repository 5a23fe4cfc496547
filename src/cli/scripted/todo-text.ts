import type { Todo } from './report.ts'

const mark = /\b(TODO|FIXME)\b/
/** What opens a line of a comment; in group 1. */
const opener = /^\s*(\/\/|#|\*(?!\/)|--|;|%|<!--)/

/**
 * Kind and words of the TODO in the first line, with the lines that continue its comment.
 * `undefined` where the first line has no mark.
 */
export function todoText(lines: readonly string[]): Pick<Todo, 'kind' | 'text'> | undefined {
  const [first = '', ...rest] = lines
  const found = mark.exec(first)
  if (!found) return undefined
  const words = [first.slice(found.index + found[0].length)]
  const kind = opener.exec(first)?.[1]
  for (const line of rest.slice(0, 2)) {
    const next = opener.exec(line)
    const text = next ? line.slice(next[0].length) : ''
    if (kind === undefined || next?.[1] !== kind || text.trim() === '' || mark.test(text) || text.trim().startsWith('@')) break
    words.push(text)
  }
  const text = words
    .map((part) => part.replace(/(\*\/|-->)\s*$/, '').trim())
    .join(' ')
    .replace(/^(\([^)]*\))?[:\s-]+/, '')
    .trim()
  return { kind: found[1] as Todo['kind'], text: text === '' ? '(no text)' : text }
}
