import { beforeAll, describe, expect, it } from 'vitest'
import { buildProgram } from '../program-process.ts'
import { startOnTerminal } from './program-terminal.ts'

beforeAll(buildProgram, 120_000)

const size = { columns: 140, rows: 60 }
const demo = ['demo', '--via', 'acp', '--command', 'node examples/acp-agent/main.js --ask-for list_files']
const prompt = 'Answer 1, 2 within 5m 00s, or Enter for 2:'
const isAsked = (lines: readonly string[]) => lines.some((line) => line.startsWith(prompt))

describe('a permission that is asked at the terminal', { timeout: 60_000 }, () => {
  it('A13, C3: shows what is asked, by which run, the choices, default and time, in the place of the live tree, and goes on with the answer', async () => {
    const { terminal, shows, type, ended } = startOnTerminal(demo, size)
    await shows(isAsked)
    const lines = terminal.lines()
    const first = lines.findIndex((line) => line.startsWith('Permission: '))
    expect(lines.slice(first, first + 5)).toEqual([
      expect.stringMatching(/^Permission: acp asks, in “Find every TODO and FIXME comment.*”, run run-\w+-0\.$/) as string,
      '  list_files {}  (read)',
      '  1  Allow',
      '  2  Reject  (default)',
      prompt,
    ])
    expect(lines.some((line) => / awaiting permission /.test(line))).toBe(false)
    type('1\n')
    expect(await ended).toBe(0)
    const after = terminal.lines()
    expect(after).toContain(`${prompt} 1`)
    expect(after.some((line) => /^Find every TODO .* completed /.test(line))).toBe(true)
    expect(after.some((line) => line.startsWith('Found 12 TODOs'))).toBe(true)
    expect(terminal.cursorIsVisible() && terminal.breaksLines()).toBe(true)
  })

  it('A13: another word is asked again, and Enter rejects', async () => {
    const { terminal, shows, type, ended } = startOnTerminal(demo, size)
    await shows(isAsked)
    type('yes\n')
    await shows((lines) => lines.some((line) => line === 'Answer 1, 2, or Enter for 2:'))
    type('\n')
    await ended
    expect(terminal.lines().some((line) => line.startsWith('Found 12 TODOs'))).toBe(false)
  })

  it('A13: what was typed before the question is no answer to it', async () => {
    const { shows, type, ended, terminal } = startOnTerminal(demo, size)
    type('1\n1\n1\n')
    await shows(isAsked)
    type('\n')
    await ended
    expect(terminal.lines().some((line) => line.startsWith('Found 12 TODOs'))).toBe(false)
  })

  it('C6: Ctrl-C at a question ends the run', async () => {
    const { shows, type, ended, terminal, text } = startOnTerminal(demo, size)
    await shows(isAsked)
    type('\u0003')
    expect(await ended).toBe(130)
    expect(text()).toContain('Not answered: rejected.')
    expect(terminal.lines().some((line) => /^Find every TODO .* aborted /.test(line))).toBe(true)
    expect(terminal.cursorIsVisible() && terminal.breaksLines()).toBe(true)
  })
})
