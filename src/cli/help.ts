/** Examples as help texts show them (C7). */
export function examples(lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}\n`).join('')}`
}
