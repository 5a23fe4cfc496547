import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createSessionFile } from '../../../src/agents/sessions/file.ts'
import { buildProgram } from '../../cli/program-process.ts'
import { temporaryDirectory } from './temporary-directory.ts'

it('G8: a write that the disk takes in part leaves the file as it was, and can be made again', () => {
  buildProgram()
  const path = `${temporaryDirectory()}/s.jsonl`
  const module = new URL('../../../dist/agents/sessions/file.js', import.meta.url).href
  const program = `
    import { createSessionFile } from ${JSON.stringify(module)}
    import { statSync } from 'node:fs'
    const file = createSessionFile(${JSON.stringify(path)})
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

it('G8: torn bytes are cut off by the first addition, and a line without its end gets one', () => {
  const path = `${temporaryDirectory()}/s.jsonl`
  writeFileSync(path, 'one\ntwo to')
  createSessionFile(path, { size: 4, tornBytes: 6, isOpenEnded: false }).append('two\n')
  expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n')
  writeFileSync(path, 'one\ntwo')
  const file = createSessionFile(path, { size: 7, tornBytes: 0, isOpenEnded: true })
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
    const files = Array.from({ length: 400 }, (_, index) => createSessionFile(${JSON.stringify(directory)} + '/' + index))
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
