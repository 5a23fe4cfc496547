/**
 * A terminal in memory: takes what a program writes and has the screen that a person would see. It knows what the command
 * uses and throws at anything else.
 */
import { textWidth } from '../../../src/cli/output/text-width.ts'

export interface VirtualTerminal {
  /** What arrives at a terminal. */
  write(text: string): void
  /** What a program writes: between it and the terminal, the system makes two of each line feed. */
  print(text: string): void
  /** As terminals do that keep lines together: what became too wide goes on in the next row. */
  resize(columns: number, rows: number): void
  /** From top to bottom, without empty ones at the end. */
  lines(): string[]
  /** The screen after each drawing, which ends by showing the cursor. */
  readonly frames: readonly (readonly string[])[]
  cursorIsVisible(): boolean
  breaksLines(): boolean
}

interface Row {
  /** One for each column; a wide character is followed by an empty one. */
  readonly cells: string[]
  /** Its line goes on in the next row. */
  readonly broken: boolean
}

// oxlint-disable-next-line no-control-regex -- what a terminal is about
const controls = /(\u001b\[\??[\d;]*[A-Za-z]|[\u0000-\u001f\u007f])/
// oxlint-disable-next-line no-control-regex -- what a terminal is about
const unfinished = /(\u001b(\[\??[\d;]*)?|[\ud800-\udbff])$/
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

export function createVirtualTerminal(columns: number, rows: number): VirtualTerminal {
  /** Of which the last `rows` are on the screen. */
  let all: Row[] = Array.from({ length: rows }, () => ({ cells: [], broken: false }))
  let row = 0
  let column = 0
  let visible = true
  let breaks = true
  let unread = ''
  const frames: string[][] = []

  const lines = () => {
    const texts = all.slice(-rows).map(({ cells }) => cells.join('').trimEnd())
    return texts.slice(0, texts.findLastIndex((text) => text !== '') + 1)
  }
  const edit = (change: (cells: string[]) => string[], broken = false) => void (all[row] = { cells: change([...all[row]!.cells]), broken })
  const down = () => {
    row++
    if (row === all.length) all.push({ cells: [], broken: false })
  }
  const put = (grapheme: string) => {
    const width = textWidth(grapheme)
    if (column + width > columns && breaks) {
      edit((cells) => cells, true)
      down()
      column = 0
    }
    column = Math.min(column, columns - width)
    const cell = [grapheme, ...Array.from({ length: width - 1 }, () => '')]
    edit((cells) => [...Array.from({ length: column }, (_, index) => cells[index] ?? ' '), ...cell, ...cells.slice(column + width)])
    column += width
  }
  const obey = (control: string) => {
    const [sequence, parameter = '', letter = ''] = /\[(\??\d*(?:;\d+)*)([A-Za-z])$/.exec(control) ?? [control]
    if (control === '\r') column = 0
    else if (control === '\n') down()
    else if (letter === 'A') row = Math.max(all.length - rows, row - Number(parameter || 1))
    else if (sequence === '[K') edit((cells) => cells.slice(0, column))
    else if (sequence === '[J') {
      edit((cells) => cells.slice(0, column))
      for (let below = row + 1; below < all.length; below++) all[below] = { cells: [], broken: false }
    } else if (parameter === '?7' && 'hl'.includes(letter)) breaks = letter === 'h'
    else if (parameter === '?25' && 'hl'.includes(letter)) {
      visible = letter === 'h'
      if (visible) frames.push(lines())
    } else if (letter !== 'm') throw new Error(`This terminal does not know ${JSON.stringify(control)}.`)
  }
  const write = (text: string) => {
    const arrived = unread + text
    // A sequence may come in two parts.
    unread = unfinished.exec(arrived)?.[0] ?? ''
    for (const [index, part] of arrived
      .slice(0, arrived.length - unread.length)
      .split(controls)
      .entries()) {
      if (index % 2 === 1) obey(part)
      else for (const { segment } of graphemes.segment(part)) put(segment)
    }
  }
  return {
    write,
    print: (text) => write(text.replaceAll('\n', '\r\n')),
    resize(newColumns, newRows) {
      const cursor = all[row]
      const kept: Row[] = []
      let line: string[] = []
      const used = all.slice(
        0,
        Math.max(
          row,
          all.findLastIndex(({ cells }) => cells.length > 0),
        ) + 1,
      )
      for (const current of used) {
        if (current === cursor) row = kept.length
        line = [...line, ...current.cells]
        if (current.broken) continue
        for (let start = 0; start === 0 || start < line.length; start += newColumns)
          kept.push({ cells: line.slice(start, start + newColumns), broken: start + newColumns < line.length })
        line = []
      }
      while (kept.length < newRows) kept.push({ cells: [], broken: false })
      all = kept
      columns = newColumns
      rows = newRows
    },
    lines,
    frames,
    cursorIsVisible: () => visible,
    breaksLines: () => breaks,
  }
}
