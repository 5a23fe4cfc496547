import { beforeAll, describe, expect, it } from 'vitest'
import { textWidth } from '../../../src/cli/output/text-width.ts'
import { buildProgram } from '../program-process.ts'
import { startOnTerminal } from './program-terminal.ts'

beforeAll(buildProgram, 60_000)

const size = { columns: 100, rows: 60 }
const running = (lines: readonly string[]) => lines.filter((line) => /[├└]─ TODOs in .* running /.test(line)).length
const isTree = (line: string) => / (running|completed|aborted) /.test(line)

describe('subagents demo on a pseudo-terminal', { timeout: 30_000 }, () => {
  it('C5: draws a live tree in which two children and more run at once, then the answer below it', async () => {
    const { terminal, text, ended } = startOnTerminal(['demo'], size)
    expect(await ended).toBe(0)
    const { frames } = terminal
    expect(frames.length).toBeGreaterThan(5)
    expect(Math.max(...frames.map(running))).toBe(3)
    const lines = terminal.lines()
    expect(lines[0]).toMatch(/^Model: scripted\./)
    const tree = lines.slice(lines.findIndex(isTree))
    expect(tree.slice(0, 6).map((line) => line.replace(/ {2,}(completed) .*/, ' $1'))).toEqual([
      'Find every TODO and FIXME comment in this… completed',
      '├─ TODOs in server/ completed',
      '├─ TODOs in web/ completed',
      '└─ TODOs in the top folder and scripts/ completed',
      '',
      'Found 12 TODOs in 10 of 16 files searched: 5 FIXME, 7 TODO.',
    ])
    expect(text()).toContain('\u001b[32mcompleted')
    expect(terminal.cursorIsVisible() && terminal.breaksLines()).toBe(true)
  })

  it('C6: Ctrl-C stops all runs, shows them so, and leaves the terminal as it was', async () => {
    const { terminal, shows, type, ended, text } = startOnTerminal(['demo'], size)
    await shows((lines) => running(lines) === 3)
    type('\u0003')
    expect(await ended).toBe(130)
    expect(
      terminal
        .lines()
        .filter(isTree)
        .map((line) => /running|completed|aborted/.exec(line)![0]),
    ).toEqual(['aborted', 'aborted', 'aborted', 'aborted'])
    expect(text()).toContain('Interrupted: stopping all runs.')
    expect(terminal.cursorIsVisible() && terminal.breaksLines()).toBe(true)
  })

  it('C5: a crash leaves the cursor visible', async () => {
    const crash = `data:text/javascript,${encodeURIComponent(`process.stdin.once('data', () => { throw new Error('planted') })`)}`
    const { terminal, shows, type, ended, text } = startOnTerminal(['demo'], { ...size, env: { NODE_OPTIONS: `--import=${crash}` } })
    await shows((lines) => running(lines) === 3)
    type('\n')
    expect(await ended).toBe(1)
    expect(text()).toContain('Error: planted')
    expect(terminal.cursorIsVisible() && terminal.breaksLines()).toBe(true)
  })

  it('C5: follows the terminal when its size changes, and leaves no line of before', async () => {
    const { terminal, shows, resize, ended } = startOnTerminal(['demo'], size)
    await shows((lines) => running(lines) === 3)
    resize(50, 60)
    await shows((lines) => lines.some((line) => /TODOs in web\/ .*completed/.test(line)))
    const lines = terminal.lines()
    const tree = lines.slice(lines.indexOf('') + 1)
    expect(tree.map((line) => isTree(line))).toEqual([true, true, true, true])
    expect(Math.max(...tree.map(textWidth))).toBeLessThan(50)
    expect(await ended).toBe(0)
  })

  it('C5, C7: with fewer rows than runs shows as many as fit and counts the rest; no colours under NO_COLOR', async () => {
    const { terminal, text, ended } = startOnTerminal(['demo'], { columns: 100, rows: 4, env: { NO_COLOR: '1' } })
    expect(await ended).toBe(0)
    expect(
      terminal.frames.some((lines) => lines.filter(isTree).length === 2 && lines.some((line) => line.startsWith('… 2 more: 2 running'))),
    ).toBe(true)
    // oxlint-disable-next-line no-control-regex -- colours are what must not be there
    expect(text()).not.toMatch(/\u001b\[\d+m/)
  })

  it('C5: --json prints objects on a terminal too, and a terminal that does not obey gets plain lines, both without a pause', async () => {
    const json = startOnTerminal(['demo', '--json'], size)
    expect(await json.ended).toBe(0)
    expect(json.text()).not.toContain('\u001b')
    expect(JSON.parse(json.text().trimEnd().split('\r\n').at(-1)!)).toMatchObject({ type: 'result', stopReason: 'completed' })
    const dumb = startOnTerminal(['demo'], { ...size, env: { TERM: 'dumb' } })
    expect(await dumb.ended).toBe(0)
    expect(dumb.text()).toMatch(/ms {2}start {4}TODOs in server\//)
    expect(dumb.text()).not.toContain('\u001b')
  })
})
