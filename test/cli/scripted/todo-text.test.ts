import { describe, expect, it } from 'vitest'
import { todoText } from '../../../src/cli/scripted/todo-text.ts'

describe('the text of a TODO', () => {
  it('C2: is what follows the mark, in the comments of many languages', () => {
    const cases: [string[], string, string][] = [
      [['  // TODO: one', 'x()'], 'TODO', 'one'],
      [['# FIXME two'], 'FIXME', 'two'],
      [['/* TODO - three */'], 'TODO', 'three'],
      [['<!-- TODO: four -->', '<ul>'], 'TODO', 'four'],
      [['x() // TODO(ben): five', '// six'], 'TODO', 'five'],
      [['-- FIXME: seven', '-- and eight', 'select'], 'FIXME', 'seven and eight'],
      [[' * TODO: nine', ' * @param x'], 'TODO', 'nine'],
      [[' * TODO: nine', ' */'], 'TODO', 'nine'],
      [['// TODO: ten', '// FIXME: eleven'], 'TODO', 'ten'],
      [['// TODO'], 'TODO', '(no text)'],
      [['// TODO: a', '// b', '// c', '// d'], 'TODO', 'a b c'],
    ]
    for (const [lines, kind, text] of cases) expect(todoText(lines), lines[0]).toEqual({ kind, text })
  })

  it('C2: is nothing where there is no mark', () => {
    expect(todoText(['const todos = 1'])).toBeUndefined()
    expect(todoText([])).toBeUndefined()
  })
})
