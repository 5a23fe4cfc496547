import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCli } from '../../src/cli/run-cli.ts'
import { fakeIo, type FakeIoOptions } from './fake-io.ts'
import { temporaryFolder } from './workspace/temporary-folder.ts'

const demo = async (argv: readonly string[], options?: FakeIoOptions) => {
  const io = fakeIo(['demo', ...argv], options)
  const code = await runCli(io)
  const [note = '', ...answer] = io.out().split('\n')
  return { code, note, answer: answer.join('\n').trim(), err: io.err(), starts: io.err().match(/ start /g)?.length ?? 0 }
}

describe('subagents demo in other folders', { timeout: 30_000 }, () => {
  it('C1: an empty folder has no file to search and needs no child', async () => {
    const folder = await temporaryFolder()
    await mkdir(join(folder, 'empty'))
    expect(await demo(['--cwd', folder])).toMatchObject({ code: 0, answer: 'There is no file to search in this folder.', starts: 1 })
  })

  it('C1: a folder without TODOs is told as such, with the number of files that were searched', async () => {
    const folder = await temporaryFolder({ 'a.js': 'x', 'b/c.js': 'y', '.gitignore': 'ignored', ignored: 'TODO' })
    expect(await demo(['--cwd', folder])).toMatchObject({ code: 0, answer: 'Found no TODO in 3 files searched.', starts: 3 })
  })

  it('C1: a flat folder is one part for one child', async () => {
    const folder = await temporaryFolder({ 'a.js': '// TODO: one', 'b.js': '' })
    const { code, answer, starts, err } = await demo(['--cwd', folder])
    expect({ code, starts }).toEqual({ code: 0, starts: 2 })
    expect(answer).toContain('Found 1 TODO in 1 of 2 files searched: 0 FIXME, 1 TODO.')
    expect(err).toContain('TODOs in the top folder')
  })

  it('C1: of many folders three children share the work', async () => {
    const folder = await temporaryFolder(
      Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`folder-${index}/file.js`, '// FIXME: x'])),
    )
    const { code, answer, starts, err } = await demo(['--cwd', folder])
    expect({ code, starts }).toEqual({ code: 0, starts: 4 })
    expect(answer).toContain('Found 12 TODOs in 12 of 12 files searched: 12 FIXME, 0 TODO.')
    expect(err).toContain('TODOs in folder-0/, folder-11/ and 2 more folders')
  })

  it('C1: counts all of more files and matches than are shown, and says what is not in its lists', async () => {
    const many = Object.fromEntries(Array.from({ length: 520 }, (_, index) => [`many/${String(index).padStart(3, '0')}.js`, '// TODO: x']))
    const folder = await temporaryFolder({ ...many, 'few/a.js': '// FIXME: y', 'few/b.png': 'TODO\0' })
    const { code, answer } = await demo(['--cwd', folder])
    expect(code).toBe(0)
    expect(answer).toContain('Found 521 TODOs in 521 of 521 files searched: 1 FIXME, 200 TODO.')
    expect(answer).toMatch(/ {2}… and 181 more files\n/)
    expect(answer).toMatch(/ {2}… and 151 more TODOs\n/)
    expect(answer).toContain('  - Shows 200 of 520 matching lines.')
    expect(answer).toContain('  - Binary files are not searched: few/b.png.')
    expect(answer).toContain('  - Of 521 TODOs only 201 were shown to the parent; the lists above have only those.')
  })

  it('C1: does what it can with names that are no ordinary ones', async () => {
    const folder = await temporaryFolder({
      'a b/[x] "y"/c:1.js': '// TODO: one',
      'new\nline/d.js': '// FIXME: two',
      '\u001b[31mred.js': '// TODO: three',
    })
    const { code, answer } = await demo(['--cwd', folder])
    expect(code).toBe(0)
    expect(answer).toContain('Found 3 TODOs in 3 of 3 files searched')
    expect(answer).toContain('a b/[x] "y"/c:1.js:1 TODO one')
    expect(answer).toContain('new line/d.js:1 FIXME two')
    expect(answer).toContain('red.js:1 TODO three')
    expect(answer).not.toContain('\u001b')
  })

  it('C2: is not misled by a comment that looks like a place, tells all links there are, and what two children say alike it counts', async () => {
    const long = 'x'.repeat(2001)
    const folder = await temporaryFolder({ 'a/b.js': `// TODO: see c.js:7 [FIXME] z\n${long}`, 'd/e.js': long, 'd/f.js': '' })
    for (const link of ['one', 'a/two', 'd/three']) await symlink('b.js', join(folder, link))
    const { answer } = await demo(['--cwd', folder])
    expect(answer).toContain('    1  a/b.js\n')
    expect(answer).toContain('a/b.js:1 TODO see c.js:7 [FIXME] z\n')
    expect(answer.slice(answer.indexOf('Not covered:')).split('\n')).toEqual([
      'Not covered:',
      '  - Symbolic links are not followed: 3 left out.',
      '  - Of lines longer than 2000 characters only the beginning was searched: 1. (2 times)',
    ])
  })

  it('C2: --max-depth 0 leaves nothing searched, and the answer says so in the words of the flag', async () => {
    const folder = await temporaryFolder({ 'a/b.js': '// TODO: one', 'c.js': '' })
    expect((await demo(['--cwd', folder, '--max-depth', '0'])).answer.split('\n')).toEqual([
      'No file was searched: no child gave a report.',
      '',
      'Not covered:',
      '  - --max-depth 0 allows no children, and the script leaves all searching to them. Give --max-depth 1 or more.',
    ])
  })

  it('C1: a task that the script cannot do gets the TODOs, and is told so', async () => {
    const folder = await temporaryFolder({ 'a.js': '// TODO: one' })
    const other = await demo(['Write a poem', '--cwd', folder])
    expect(other).toMatchObject({ code: 0, answer: expect.stringMatching(/^The script only finds TODOs, running that\.\n\nFound 1 TODO /) })
    expect((await demo(['Where are the TODOs?', '--cwd', folder])).answer).toMatch(/^Found 1 TODO /)
    const run = fakeIo(['run', 'Write a poem', '--model', 'scripted', '--cwd', folder])
    expect(await runCli(run)).toBe(0)
    expect(run.out()).toMatch(/^Model: scripted\..*\n\nThe script only finds TODOs, running that\.\n\nFound 1 TODO /)
  })
})

describe('progress on a terminal', { timeout: 30_000 }, () => {
  it('C5: is slow enough to be watched and takes less than five seconds: six answers one after another, each with a pause', async () => {
    const pauses: number[] = []
    const io = fakeIo(
      ['demo', '--cwd', await temporaryFolder({ 'a/b.js': '// TODO: x', 'c/d.js': '// TODO: y', 'e/f.js': '// TODO: z' })],
      { columns: 80 },
    )
    const { after } = io
    io.after = (milliseconds, callback) => {
      // The frames of the tree come more often.
      if (milliseconds > 150) pauses.push(milliseconds)
      return after(milliseconds > 150 ? 0 : milliseconds, callback)
    }
    expect(await runCli(io)).toBe(0)
    expect(io.out()).toMatch(/^Model: scripted\..* It takes its time, to be watched\.\n/)
    // The parent lists, delegates and joins; three children search, read and report.
    expect(pauses).toHaveLength(12)
    expect(new Set(pauses).size).toBeGreaterThan(4)
    expect(6 * Math.max(...pauses)).toBeLessThan(4000)
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(250)
  })
})

describe('progress on a terminal that does not obey', { timeout: 30_000 }, () => {
  const long = { 'a-folder-with-quite-a-long-name-indeed/a.js': '', 'another-folder-with-a-long-name/b.js': '' }

  it('C5, C7: is plain lines that keep to its width, without colours', async () => {
    const { note, err } = await demo(['--cwd', await temporaryFolder(long)], { columns: 50, env: { TERM: 'dumb' } })
    const lines = err.trimEnd().split('\n')
    expect(note).toMatch(/finds TODOs\.$/)
    expect(lines).toHaveLength(6)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(50)
    expect(err).toContain('…')
    expect(err).not.toContain('\u001b')
  })

  it('C7: has colours elsewhere only where they are forced', async () => {
    const folder = await temporaryFolder({ a: '' })
    expect((await demo(['--cwd', folder], { env: { FORCE_COLOR: '1' } })).err).toContain('\u001b[32mcompleted in')
    expect((await demo(['--cwd', folder], { env: { FORCE_COLOR: '1', NO_COLOR: '1' } })).err).not.toContain('\u001b')
    expect((await demo(['--cwd', folder])).err).not.toContain('\u001b')
  })
})

describe('ending early', { timeout: 30_000 }, () => {
  it('C6: Ctrl-C in the middle aborts every run and exits 130', async () => {
    const io = fakeIo(['demo', '--cwd', await temporaryFolder({ 'a/b.js': '// TODO: x' })], {
      onErr: (text) => text.includes('TODOs in a/') && text.includes('start') && io.interrupt(),
    })
    expect(await runCli(io)).toBe(130)
    expect(io.err().match(/aborted in/g)).toHaveLength(2)
    expect(io.err()).toContain('Interrupted.')
  })

  it('C6: when nobody reads the output any more, the runs are cancelled and the exit code is that of no completed run', async () => {
    const io = fakeIo(['demo', '--cwd', await temporaryFolder({ 'a/b.js': '// TODO: x' })], {
      onErr: (text) => text.includes('TODOs in a/') && text.includes('start') && io.stopReading(),
    })
    expect(await runCli(io)).toBe(1)
    expect(io.err().match(/aborted in/g)).toHaveLength(2)
  })
})
