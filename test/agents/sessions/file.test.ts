import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createSessionFile, SessionWriteError } from '../../../src/agents/sessions/file.ts'
import { buildProgram } from '../../cli/program-process.ts'
import { temporaryDirectory } from './temporary-directory.ts'

let now = 0
const clock = { now: () => now }

it('G8: a write that the disk takes in part leaves the file as it was, and can be made again', () => {
  buildProgram()
  const path = `${temporaryDirectory()}/s.jsonl`
  const module = new URL('../../../dist/agents/sessions/file.js', import.meta.url).href
  const program = `
    import { createSessionFile } from ${JSON.stringify(module)}
    import { statSync } from 'node:fs'
    const file = createSessionFile(${JSON.stringify(path)}, Date)
    const said = []
    for (const length of [3000, 3000, 500]) {
      try { file.append('x'.repeat(length)) } catch (error) { said.push(error.name, error.message) }
      said.push(statSync(${JSON.stringify(path)}).size)
    }
    console.log(JSON.stringify(said))`
  // The limit is 4096 bytes: the second write is cut short, as by a full disk.
  const { stdout, stderr } = spawnSync('sh', ['-c', 'ulimit -f 8; exec "$0" --input-type=module -e "$1"', process.execPath, program], {
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual([
    3000,
    'SessionWriteError',
    `The session could not be written to ${path}: the file would be larger than the system allows.`,
    3000,
    3500,
  ])
})

it('G8: a write that the disk takes in part cuts off nothing where somebody else has just written in between', () => {
  buildProgram()
  const path = `${temporaryDirectory()}/s.jsonl`
  const module = new URL('../../../dist/agents/sessions/file.js', import.meta.url).href
  const program = `
    import { createSessionFile } from ${JSON.stringify(module)}
    import { appendFileSync } from 'node:fs'
    const file = createSessionFile(${JSON.stringify(path)}, { now: () => 0 })
    file.append('a'.repeat(1000))
    appendFileSync(${JSON.stringify(path)}, 'x'.repeat(100))
    file.append('b'.repeat(1000))
    for (const round of [1, 2]) try { file.append('c'.repeat(3000)) } catch (error) { console.log(error.message.split('.jsonl: ')[1]) }`
  const { stdout } = spawnSync('sh', ['-c', 'ulimit -f 8; exec "$0" --input-type=module -e "$1"', process.execPath, program], {
    encoding: 'utf8',
  })
  expect(stdout.split('\n')).toEqual([
    'the file would be larger than the system allows.',
    expect.stringMatching(/^it has 4096 bytes where 3996 were left: somebody else changed it\.$/),
    '',
  ])
  expect(readFileSync(path, 'utf8')).toMatch(/^a{1000}x{100}b{1000}c{1996}$/)
})

it('G8: torn bytes are cut off by the first addition, and a line without its end gets one', () => {
  const path = `${temporaryDirectory()}/s.jsonl`
  writeFileSync(path, 'one\ntwo to')
  createSessionFile(path, clock, { size: 4, tornBytes: 6, isOpenEnded: false }).append('two\n')
  expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n')
  writeFileSync(path, 'one\ntwo')
  const file = createSessionFile(path, clock, { size: 7, tornBytes: 0, isOpenEnded: true })
  file.append('three\n')
  file.append('four\n')
  expect(readFileSync(path, 'utf8')).toBe('one\ntwo\nthree\nfour\n')
})

it('G8: many sessions with an open turn leave the process the files that it may open, and one that has none left is told so', () => {
  buildProgram()
  const directory = temporaryDirectory()
  const module = new URL('../../../dist/agents/sessions/file.js', import.meta.url).href
  const program = `
    import { createSessionFile } from ${JSON.stringify(module)}
    import { openSync, closeSync } from 'node:fs'
    const files = Array.from({ length: 400 }, (_, index) => createSessionFile(${JSON.stringify(directory)} + '/' + index, Date))
    for (const text of ['one', 'two']) for (const file of files) file.append(text)
    for (const file of files) file.rest()
    const taken = []
    try { for (;;) taken.push(openSync('/dev/null')) } catch {}
    let said
    try { files[0].append('three') } catch (error) { said = error.message }
    for (const file of taken) closeSync(file)
    for (const file of files) file.append('four')
    console.log(said)`
  const { stdout, stderr } = spawnSync('sh', ['-c', 'ulimit -n 128; exec "$0" --input-type=module -e "$1"', process.execPath, program], {
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  expect(stdout).toMatch(
    /^The session could not be written to .*: this process has as many files and connections open as it may \(ulimit -n\)/,
  )
  expect([0, 399].map((index) => readFileSync(`${directory}/${index}`, 'utf8'))).toEqual(['onetwofour', 'onetwofour'])
})

describe('a file that is gone while it is open', () => {
  const make = () => {
    const path = `${temporaryDirectory()}/s.jsonl`
    const file = createSessionFile(path, clock)
    file.append('one\n')
    return { path, file }
  }

  it('G8: is found by the next addition that does not follow at once, whichever way the clock went', () => {
    for (const passed of [100, 100_000, -100]) {
      const { path, file } = make()
      now += passed
      file.append('two\n')
      unlinkSync(path)
      now += passed
      expect(() => file.append('three\n')).toThrow(SessionWriteError)
    }
  })

  it('G8: is found by the last addition of a turn, however soon that follows, and by the first of the next', () => {
    const { path, file } = make()
    unlinkSync(path)
    file.append('two\n')
    expect(() => file.append('three\n', true)).toThrow(/the file or its directory is gone/)
    expect(() => file.append('three\n')).toThrow(/the file or its directory is gone/)
    expect(existsSync(path)).toBe(false)
  })

  it('G8: is closed by the last addition, after which one that somebody changed is found at once', () => {
    const { path, file } = make()
    file.append('two\n', true)
    writeFileSync(path, 'one\ntwo\nx')
    expect(() => file.append('three\n')).toThrow(/9 bytes where 8 were left: somebody else changed it/)
    truncateSync(path, 8)
    file.append('three\n')
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\nthree\n')
  })
})
