import { describe, expect, it } from 'vitest'
import { createScreen } from '../../../../src/cli/output/tree/screen.ts'
import { createVirtualTerminal } from '../../terminal/virtual-terminal.ts'

function screenOn(columns: number, rows: number) {
  const terminal = createVirtualTerminal(columns, rows)
  const stream = { isTTY: true, columns, rows, writes: 0, write: (text: string) => (stream.writes++, terminal.print(text)) }
  const resize = (columns: number, rows: number) => {
    Object.assign(stream, { columns, rows })
    terminal.resize(columns, rows)
  }
  return { terminal, stream, resize, screen: createScreen(stream) }
}

describe('lines that are drawn in place', () => {
  it('C5: stand where the ones before stood, also when they are more, fewer, longer or shorter', () => {
    const { terminal, screen } = screenOn(20, 10)
    terminal.print('$ command\n')
    for (const lines of [['one'], ['one', 'two'], ['longer one', 'two', 'three'], ['1', 'two', '3'], ['only'], []]) {
      screen.draw(lines)
      expect(terminal.lines()).toEqual(['$ command', ...lines])
    }
    terminal.print('the answer')
    expect(terminal.lines()).toEqual(['$ command', 'the answer'])
  })

  it('C5: scroll up what stands above them when they reach the end of the terminal', () => {
    const { terminal, screen } = screenOn(20, 5)
    terminal.print('a\nb\nc\n')
    screen.draw(['1', '2', '3', '4'])
    screen.draw(['1', 'two', '3', '4'])
    expect(terminal.lines()).toEqual(['1', 'two', '3', '4'])
  })

  it('C5: are not written again where nothing has changed', () => {
    const { stream, screen } = screenOn(20, 5)
    screen.draw(['a', 'b'])
    screen.draw(['a', 'b'])
    expect(stream.writes).toBe(1)
  })

  it('C5: leave text that is written above them where it is', () => {
    const { terminal, screen } = screenOn(20, 10)
    screen.draw(['a', 'b'])
    screen.above('warning: something\n')
    screen.draw(['a', 'c'])
    expect(terminal.lines()).toEqual(['warning: something', 'a', 'c'])
  })

  it('C5: stay in their place when the terminal becomes narrower, wider, lower or higher', () => {
    const { terminal, resize, screen } = screenOn(30, 12)
    terminal.print('$ command\n')
    screen.draw(['a line of nearly thirty chars', 'short'])
    resize(12, 12)
    expect(terminal.lines()).toEqual(['$ command', 'a line of ne', 'arly thirty', 'chars', 'short'])
    screen.draw(['a line of…', 'short'])
    expect(terminal.lines()).toEqual(['$ command', 'a line of…', 'short'])
    resize(40, 12)
    screen.draw(['a line of nearly thirty chars', 'short'])
    expect(terminal.lines()).toEqual(['$ command', 'a line of nearly thirty chars', 'short'])
    resize(40, 4)
    screen.draw(['a', 'b', 'c'])
    expect(terminal.lines()).toEqual(['a', 'b', 'c'])
  })

  it('C5: leave the cursor visible and the terminal breaking lines after each single write', () => {
    const { terminal, stream, screen } = screenOn(20, 5)
    const after: boolean[] = []
    const { write } = stream
    stream.write = (text) => {
      write(text)
      return void after.push(terminal.cursorIsVisible() && terminal.breaksLines())
    }
    screen.draw(['a'])
    screen.above('b\n')
    screen.draw(['c', 'd'])
    expect(after).toEqual([true, true, true])
  })

  it('C5: are cut by the terminal where a character is wider than was thought, and do not push the next down', () => {
    const { terminal, screen } = screenOn(10, 5)
    screen.draw(['far too long for this terminal', 'next'])
    expect(terminal.lines()).toEqual(['far too ll', 'next'])
  })

  it('C5: have a size to go by on a terminal that does not know its own', () => {
    expect(createScreen({ isTTY: true, columns: 0, rows: 0, write: () => {} }).size()).toEqual({ columns: 80, rows: 24 })
  })
})
