/**
 * Text of models, files and servers as it may be shown on a terminal: what would move the cursor, change colours or the
 * title, or turn the direction of writing, is taken out; newlines and tabs stay.
 */
import { stripVTControlCharacters } from 'node:util'
import { fitWidth } from './text-width.ts'

// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

export function safeText(text: string): string {
  return stripVTControlCharacters(text).replace(controls, '')
}

/** The same on one line, no wider than `width` columns. */
export function safeLine(text: string, width = Infinity): string {
  return fitWidth(safeText(text.replace(/\s+/g, ' ')).trim(), width)
}
