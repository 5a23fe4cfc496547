/** Cuts a definition into its front matter and its body. */

export interface DefinitionParts {
  /** Without the lines that delimit it. */
  readonly frontMatter: string
  /** Number of the first line of `frontMatter` in the file. */
  readonly line: number
  readonly body: string
}

const delimiter = /^---[ \t]*$/

/** `undefined` for a text without front matter. Blank lines before it are passed over. */
export function splitFrontMatter(text: string): DefinitionParts | 'unclosed' | undefined {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => line.trim() !== '')
  if (start === -1 || !delimiter.test(lines[start]!)) return undefined
  const end = lines.findIndex((line, index) => index > start && delimiter.test(line))
  if (end === -1) return 'unclosed'
  return {
    frontMatter: lines.slice(start + 1, end).join('\n'),
    line: start + 2,
    body: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
  }
}
