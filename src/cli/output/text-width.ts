/** How many columns of a terminal a text takes. For text without control characters (see safe-text.ts). */

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
/** Any number of marks can stand on one letter; of more, a part of a screen would be made. */
const longestGrapheme = 32
const ascii = /^[\u0020-\u007e]*$/
/** Nothing in it but marks, joiners and other characters that are drawn over their neighbour, or not at all. */
const invisible = /^[\p{Mark}\p{Default_Ignorable_Code_Point}]*$/u
const emoji = /\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|\p{Emoji}\ufe0f?\u20e3|^\p{Regional_Indicator}{2}/u
/** East Asian Wide and Fullwidth, as Unicode's table has them. */
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18d08}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]/u

function graphemeWidth(grapheme: string): number {
  if (ascii.test(grapheme)) return grapheme.length
  if (invisible.test(grapheme)) return 0
  return emoji.test(grapheme) || wide.test(grapheme) ? 2 : 1
}

export function textWidth(text: string): number {
  if (ascii.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment)
  return width
}

/** The text, or its beginning and an ellipsis where it is wider than `width`; no character is cut in two. */
export function fitWidth(text: string, width: number): string {
  if (text.length <= width && ascii.test(text)) return text
  let kept = ''
  let used = 0
  /** What stands where the ellipsis may have to. */
  let beforeLast = ''
  for (const { segment } of graphemes.segment(text)) {
    const grapheme = segment.length > longestGrapheme ? String.fromCodePoint(segment.codePointAt(0)!) : segment
    used += graphemeWidth(grapheme)
    if (used > width) return width < 1 ? '' : `${beforeLast}…`
    kept += grapheme
    if (used < width) beforeLast = kept
  }
  return kept
}

/** The text with spaces up to `width`; `'end'` has them before it. */
export function padWidth(text: string, width: number, align: 'start' | 'end' = 'start'): string {
  const spaces = ' '.repeat(Math.max(0, width - textWidth(text)))
  return align === 'start' ? text + spaces : spaces + text
}
