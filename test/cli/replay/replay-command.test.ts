import { appendFile, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCli } from '../../../src/cli/run-cli.ts'
import { fakeIo, type FakeIoOptions } from '../fake-io.ts'
import { temporaryFolder } from '../workspace/temporary-folder.ts'

const run = async (argv: readonly string[], options?: FakeIoOptions) => {
  const io = fakeIo(argv, options)
  const code = await runCli(io)
  return { code, out: io.out(), err: io.err() }
}

/** A recording of the demo, in a folder of its own. */
async function recorded(): Promise<{ folder: string; file: string }> {
  const folder = await temporaryFolder({ 'project/a.js': '// TODO: one', 'project/lib/b.js': '// FIXME: two' })
  const { code } = await run(['demo', '--cwd', 'project', '--record', 'runs.jsonl'], { cwd: folder })
  expect(code).toBe(0)
  return { folder, file: join(folder, 'runs.jsonl') }
}

/** Times differ from run to run. */
const timeless = (text: string) =>
  text
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/, 'DATE')
    .replace(/\d+(\.\d+)?m?s\b/g, 'T')
    .replace(/ {2,}T/g, '  T')

describe('subagents replay', { timeout: 30_000 }, () => {
  it('I4: shows the tree of runs with outcomes and times, and the way of each through its chart', async () => {
    const { folder } = await recorded()
    const { code, out, err } = await run(['replay', 'runs.jsonl'], { cwd: folder })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const way = 'validating.checking T → starting T → running.active T → settling.held T → settling.releasing T → disposed'
    expect(timeless(out).trimEnd().split('\n')).toEqual([
      '3 runs in T, recorded DATE UTC',
      '',
      'task                        completed  T  0 tokens',
      `│  ${way}`,
      '├─ TODOs in the top folder  completed  T  0 tokens',
      `│     ${way}`,
      '└─ TODOs in lib/            completed  T  0 tokens',
      `      ${way}`,
    ])
  })

  it('I4: shows how it stood at a time', async () => {
    const { file } = await recorded()
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
    const entries = lines.map((line) => JSON.parse(line) as { at: number; type: string; value?: unknown })
    // Slowed down, so that each entry has a millisecond of its own.
    await writeFile(file, entries.map((entry, index) => `${JSON.stringify({ ...entry, at: 1000 + index })}\n`).join(''))
    const running = entries.findIndex(({ value }) => JSON.stringify(value) === '{"running":"active"}')
    const { out } = await run(['replay', file, '--at', `${running}ms`])
    expect(timeless(out).split('\n').slice(0, 3)).toEqual(['1 run after T of T, recorded DATE UTC', '', 'task  still running.active  T'])
  })

  it('I4: fits a terminal, and breaks its lines between states', async () => {
    const { file } = await recorded()
    const { out } = await run(['replay', file], { columns: 60 })
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60)
  })

  it('I4: a recording that was cut off is shown as far as it goes, and said', async () => {
    const { file } = await recorded()
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
    const end = lines.findIndex((line) => line.includes('"type":"end"'))
    await writeFile(file, `${lines.slice(0, end).join('\n')}\n`)
    await appendFile(file, lines[end]!.slice(0, 30))
    const { code, out, err } = await run(['replay', file])
    expect(code).toBe(0)
    expect(out).toContain('still running.active')
    expect(err).toBe('The last line is not whole, and is left out: whoever wrote it was stopped in the middle of it.\n')
  })

  it.each([
    [['replay', 'nothing.jsonl'], /nothing\.jsonl cannot be read: there is no such file or directory\. Give a file/],
    [['replay', 'package.json'], /package\.json:1 is not JSON\. Give a file that recordJournal or --record wrote\./],
    [['replay', 'x', '--at', 'noon'], /--at noon is not a duration\. Give a number with ms, s, m or h/],
    [['replay'], /missing required argument 'file'/],
  ])('I4: %j is bad usage, with what is wrong', async (argv, message) => {
    const { code, out, err } = await run(argv)
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(message)
  })

  it('I4, C7: its help has examples', async () => {
    const { out } = await run(['replay', '--help'])
    expect(out).toContain('$ subagents replay runs.jsonl --at 2s')
    expect((await run(['demo', '--help'])).out).toContain('$ subagents demo --record runs.jsonl')
  })

  it('I4: nothing that a recording says can move the cursor', async () => {
    const { file } = await recorded()
    await writeFile(file, (await readFile(file, 'utf8')).replaceAll('TODOs in lib/', '\\u001b[2J\\u001b]0;x\\u0007evil'))
    const { out } = await run(['replay', file])
    expect(out).toContain('evil')
    // oxlint-disable-next-line no-control-regex -- control characters are what this is about
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
  })
})

describe('--record', { timeout: 30_000 }, () => {
  it('I4: writes no prompt, no answer, no tool input and no key, to a file of its owner alone', async () => {
    const folder = await temporaryFolder({ 'a.js': '// TODO: the moon is made of green cheese' })
    const file = join(folder, 'runs.jsonl')
    const argv = ['run', 'Find every TODO but not the cheddar', '--model', 'scripted', '--cwd', folder, '--record', file]
    const { code, out } = await run(argv, { env: { DEEPSEEK_API_KEY: 'lib/secret-key' } })
    expect(code).toBe(0)
    expect(out).toContain('green cheese')
    const written = await readFile(file, 'utf8')
    expect(written).toContain('"type":"end"')
    expect(written).not.toMatch(/green cheese|cheddar|secret-key|a\.js/)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  it('I4: what cannot be recorded is told before anything runs', async () => {
    const folder = await temporaryFolder({ 'notes.txt': 'mine' })
    const notes = join(folder, 'notes.txt')
    const { code, out, err } = await run(['demo', '--record', notes])
    expect([code, out]).toEqual([2, ''])
    expect(err).toBe(
      `--record: ${notes} is there and is no recording; it is left as it is. Give a file that is not there yet, or an older recording.\n`,
    )
    expect(await readFile(notes, 'utf8')).toBe('mine')
    const missing = join(folder, 'no', 'folder.jsonl')
    expect(await run(['demo', '--record', missing])).toMatchObject({
      code: 2,
      err: `--record: ${missing} cannot be written: there is no such file or directory. Give a file in a folder that is there.\n`,
    })
    expect((await run(['demo', '--record', ' '])).err).toContain('--record is empty. Give the file')
  })
})
