/**
 * A few lines at the end of a terminal that are drawn again in place.
 *
 * Invariants: each drawing is one write that begins and ends with the cursor visible, in the first column below the lines,
 * and with the terminal's own line breaking on: whatever ends the program between two writes, the terminal is as it was.
 */
import { stripVTControlCharacters } from 'node:util'
import type { CliStream } from '../../io.ts'
import { textWidth } from '../text-width.ts'

const hideCursor = '\u001b[?25l'
const showCursor = '\u001b[?25h'
/** A line that is wider than was thought is cut by the terminal and does not push the others down. */
const cutLines = '\u001b[?7l'
const breakLines = '\u001b[?7h'
const eraseRestOfLine = '\u001b[K'
const eraseBelow = '\u001b[J'
const usualColumns = 80
const usualRows = 24

export interface Screen {
  /** Now; a terminal can change its size at any time. */
  size(): { readonly columns: number; readonly rows: number }
  /** Draws these lines in the place of those before. Each has to be narrower than the terminal; there may be as many as it has rows, less one. */
  draw(lines: readonly string[]): void
  /** Takes the lines away and writes in their place text that stays; it ends with a line break. Draw again after it. */
  above(text: string): void
}

export function createScreen(stream: CliStream): Screen {
  let drawn: readonly string[] = []
  let drawnAt = 0
  // A terminal that does not know its size says 0.
  const size = () => ({ columns: stream.columns || usualColumns, rows: stream.rows || usualRows })
  const write = (text: string) => stream.write(`${hideCursor}${cutLines}${text}${breakLines}${showCursor}`)
  const toFirstLine = (columns: number) => {
    // Lines that were drawn on a wider terminal were broken when it became narrower.
    const height = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(textWidth(stripVTControlCharacters(line)) / columns)), 0)
    return height > 0 ? `\u001b[${height}A\r` : '\r'
  }
  return {
    size,
    draw(lines) {
      const { columns } = size()
      const resized = columns !== drawnAt
      if (!resized && lines.length === drawn.length && lines.every((line, index) => line === drawn[index])) return
      const changes = lines.map((line, index) => (!resized && line === drawn[index] ? '\n' : `${line}${eraseRestOfLine}\n`))
      write(`${toFirstLine(columns)}${resized ? eraseBelow : ''}${changes.join('')}${eraseBelow}`)
      drawn = lines
      drawnAt = columns
    },
    above(text) {
      write(`${toFirstLine(size().columns)}${eraseBelow}${breakLines}${text}${cutLines}`)
      drawn = []
    },
  }
}
