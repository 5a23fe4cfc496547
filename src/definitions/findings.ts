/** What is said of a folder of definitions: problems, which make it unusable, and warnings; each with file and line. */

export interface Findings {
  /** @param place a file with its line, or a file, or a folder */
  problem(place: string, text: string): void
  warning(place: string, text: string): void
  debug(place: string, text: string): void
}

/** Says something of one file, of the line where it stands. */
export interface FileFindings {
  problem(line: number, text: string): void
  warning(line: number, text: string): void
  debug(line: number, text: string): void
}

/** Says it all at `tell`, in the order of the lines. */
export interface BufferedFindings extends FileFindings {
  tell(): void
}

export function findingsOf(file: string, findings: Findings): BufferedFindings {
  const said: { readonly kind: keyof Findings; readonly line: number; readonly text: string }[] = []
  const say = (kind: keyof Findings) => (line: number, text: string) => void said.push({ kind, line, text })
  return {
    problem: say('problem'),
    warning: say('warning'),
    debug: say('debug'),
    tell() {
      for (const { kind, line, text } of said.toSorted((a, b) => a.line - b.line)) findings[kind](`${file}:${line}`, text)
    },
  }
}

/** Words of a file or its name as a message may have them: on one line, without what would move a cursor, no longer than `longest`. */
export function shown(text: string, longest = 60): string {
  const plain = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '?')
  return plain.length > longest ? `${plain.slice(0, longest)}…` : plain
}
