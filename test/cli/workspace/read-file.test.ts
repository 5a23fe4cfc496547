import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readFile } from '../../../src/cli/workspace/read-file.ts'
import { openWorkspace } from '../../../src/cli/workspace/workspace.ts'
import { temporaryFolder, withoutRoot } from './temporary-folder.ts'

describe('read_file', () => {
  it('C4: gives all lines, or the range that was asked for', async () => {
    const workspace = await openWorkspace(await temporaryFolder({ 'a.txt': 'one\r\ntwo\nthree\n', empty: '', newline: '\n' }))
    expect(await readFile(workspace, 'a.txt')).toEqual({ path: 'a.txt', startLine: 1, endLine: 3, totalLines: 3, text: 'one\ntwo\nthree' })
    expect(await readFile(workspace, 'a.txt', { startLine: 2, endLine: 2 })).toEqual({
      path: 'a.txt',
      startLine: 2,
      endLine: 2,
      totalLines: 3,
      text: 'two',
    })
    expect(await readFile(workspace, 'a.txt', { startLine: 3, endLine: 99 })).toMatchObject({ startLine: 3, endLine: 3, text: 'three' })
    expect(await readFile(workspace, 'empty')).toEqual({ path: 'empty', startLine: 0, endLine: 0, totalLines: 0, text: '' })
    expect(await readFile(workspace, 'newline')).toEqual({ path: 'newline', startLine: 1, endLine: 1, totalLines: 1, text: '' })
    await expect(readFile(workspace, 'a.txt', { startLine: 4 })).rejects.toThrow('a.txt has 3 lines; startLine 4 is behind its end')
    await expect(readFile(workspace, 'a.txt', { startLine: 3, endLine: 2 })).rejects.toMatchObject({ reason: 'invalid-input' })
  })

  it('C4: says what it cut and how to read on', async () => {
    const workspace = await openWorkspace(
      await temporaryFolder({ many: 'a\nb\nc\nd\n', long: `${'x'.repeat(30)}\ny\n`, wide: 'aaaa\nbbbb\ncccc\n' }),
      {
        lines: 2,
        lineCharacters: 10,
      },
    )
    expect(await readFile(workspace, 'many')).toEqual({
      path: 'many',
      startLine: 1,
      endLine: 2,
      totalLines: 4,
      text: 'a\nb',
      notes: ['Shows lines 1 to 2 of 4. Give startLine 3 to read on.'],
    })
    expect(await readFile(workspace, 'many', { startLine: 3 })).toMatchObject({ text: 'c\nd' })
    expect(await readFile(workspace, 'long')).toMatchObject({
      text: 'xxxxxxxxxx… [20 more characters]\ny',
      notes: ['Lines longer than 10 characters were cut: 1.'],
    })
    const narrow = { ...workspace, limits: { ...workspace.limits, lines: 100, characters: 9 } }
    expect(await readFile(narrow, 'wide')).toMatchObject({
      text: 'aaaa\nbbbb',
      notes: ['Shows lines 1 to 2 of 3. Give startLine 3 to read on.'],
    })
  })

  it('C4: tells apart what is missing, a folder, binary, huge, unreadable, special, or no UTF-8', async () => {
    const root = await temporaryFolder({
      'folder/a': '',
      'picture.png': new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 1]),
      'huge.txt': 'x'.repeat(101),
      'locked.txt': 'secret',
      'latin1.txt': new Uint8Array([0x63, 0x61, 0x66, 0xe9]),
      'utf16.txt': new Uint8Array([0xff, 0xfe, 0x68, 0, 0x69, 0]),
    })
    await chmod(join(root, 'locked.txt'), 0o000)
    execFileSync('mkfifo', [join(root, 'pipe')])
    const workspace = await openWorkspace(root, { fileBytes: 100 })
    const reason = async (path: string) =>
      ((await withoutRoot(() => readFile(workspace, path).catch((error: unknown) => error))) as { reason?: string }).reason
    expect(await reason('none')).toBe('missing')
    expect(await reason('folder')).toBe('not-a-file')
    expect(await reason('pipe')).toBe('not-a-file')
    expect(await reason('picture.png')).toBe('binary')
    expect(await reason('huge.txt')).toBe('huge')
    expect(await reason('locked.txt')).toBe('unreadable')
    await expect(readFile(workspace, 'huge.txt')).rejects.toThrow('huge.txt is too large to read: 101 bytes, the limit is 100.')
    expect(await readFile(workspace, 'latin1.txt')).toMatchObject({
      text: 'caf\uFFFD',
      notes: ['The file is not valid UTF-8; bytes that could not be read show as \uFFFD.'],
    })
    expect(await readFile(workspace, 'utf16.txt')).toMatchObject({ text: 'hi' })
  })

  it('C4: stops when its signal aborts', async () => {
    const workspace = await openWorkspace(await temporaryFolder({ a: '' }))
    await expect(readFile(workspace, 'a', {}, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
  })

  // Linux has such a file in /proc; elsewhere there is none to be read.
  it.runIf(existsSync('/proc/self/pagemap'))(
    'C4: of a file that says it is empty and does not end reads no more than the limit',
    async () => {
      const bounded = await openWorkspace('/proc/self', { fileBytes: 100_000 })
      await expect(readFile(bounded, 'pagemap')).rejects.toThrow(
        'pagemap is too large to read: more than 100000 bytes, the limit is 100000.',
      )
      const unbounded = await openWorkspace('/proc/self', { fileBytes: 2 ** 40 })
      const controller = new AbortController()
      const read = readFile(unbounded, 'pagemap', {}, controller.signal)
      setImmediate(() => controller.abort(new Error('enough')))
      await expect(read).rejects.toThrow('enough')
    },
  )
})
