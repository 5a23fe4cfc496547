import { describe, expect, it } from 'vitest'
import { readPartPrompt, writePartPrompt } from '../../../src/cli/scripted/part.ts'
import { readReport, writeReport } from '../../../src/cli/scripted/report.ts'

describe('what parent and child say to each other', () => {
  it('C1: a part comes back as it was written, whatever the folders are called', () => {
    const part = [
      { path: 'a "b"\nc', recursive: true, files: 1 },
      { path: '.', recursive: false, files: 12 },
    ]
    expect(readPartPrompt(writePartPrompt(part))).toEqual(part)
    expect(readPartPrompt('Find TODOs')).toBeUndefined()
  })

  it('C1: a report comes back as it was written, on one line each', () => {
    const report = {
      found: 3,
      filesWithTodos: 2,
      filesSearched: 9,
      todos: [
        { path: 'a b:c.js', line: 3, kind: 'TODO' as const, text: 'x [FIXME] y' },
        { path: 'e.js', line: 2, kind: 'TODO' as const, text: 'see f.js:7 [FIXME] z' },
        { path: 'one\n\u2028- "two"\\:1 [TODO] x', line: 4, kind: 'TODO' as const, text: 'y' },
        { path: 'd.js', line: 14, kind: 'FIXME' as const, text: 'two  words' },
      ],
      gaps: ['one\nNot covered: two'],
    }
    expect(readReport(writeReport(report))).toEqual({
      ...report,
      todos: [...report.todos.slice(0, 3), { ...report.todos[3], text: 'two words' }],
      gaps: ['one Not covered: two'],
    })
    expect(readReport('I found nothing')).toBeUndefined()
  })
})
