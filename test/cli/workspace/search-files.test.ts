import { chmod, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { searchFiles } from '../../../src/cli/workspace/search-files.ts'
import { openWorkspace } from '../../../src/cli/workspace/workspace.ts'
import { temporaryFolder, withoutRoot } from './temporary-folder.ts'

const tree = { 'a.ts': '// TODO: one\nx\n  // todo two\n', 'sub/b.ts': 'a.c\nabc TODO\n', 'sub/deep/c.ts': 'TODO' }

describe('search_files', () => {
  it('C4: finds text as it stands, in the order of paths and lines', async () => {
    const workspace = await openWorkspace(await temporaryFolder(tree))
    expect(await searchFiles(workspace, { query: 'TODO' })).toEqual({
      matches: [
        { path: 'a.ts', line: 1, text: '// TODO: one' },
        { path: 'sub/b.ts', line: 2, text: 'abc TODO' },
        { path: 'sub/deep/c.ts', line: 1, text: 'TODO' },
      ],
      total: 3,
      filesWithMatches: 3,
      filesSearched: 3,
    })
    expect((await searchFiles(workspace, { query: 'a.c' })).matches).toEqual([{ path: 'sub/b.ts', line: 1, text: 'a.c' }])
    expect(await searchFiles(workspace, { query: 'todo', ignoreCase: true })).toMatchObject({ total: 4 })
  })

  it('C4: searches one file, one folder, or one without its sub-folders', async () => {
    const workspace = await openWorkspace(await temporaryFolder(tree))
    const paths = async (path: string, recursive?: boolean) =>
      (await searchFiles(workspace, { query: 'TODO', path, recursive })).matches.map((match) => match.path)
    expect(await paths('sub')).toEqual(['sub/b.ts', 'sub/deep/c.ts'])
    expect(await paths('sub', false)).toEqual(['sub/b.ts'])
    expect(await paths('sub/b.ts')).toEqual(['sub/b.ts'])
    await expect(paths('../x')).rejects.toMatchObject({ reason: 'outside' })
  })

  it('C4: takes a regular expression when asked to and explains one that is none', async () => {
    const workspace = await openWorkspace(await temporaryFolder(tree))
    expect((await searchFiles(workspace, { query: '^a.c$', regex: true })).matches).toEqual([{ path: 'sub/b.ts', line: 1, text: 'a.c' }])
    expect(await searchFiles(workspace, { query: '\\btodo\\b', regex: true, ignoreCase: true })).toMatchObject({ total: 4 })
    await expect(searchFiles(workspace, { query: '(', regex: true })).rejects.toMatchObject({ reason: 'invalid-pattern' })
    await expect(searchFiles(workspace, { query: '' })).rejects.toMatchObject({ reason: 'invalid-input' })
  })

  it('C4: gives up on a pattern that would run for ever, says where, and searches on', async () => {
    const root = await temporaryFolder({ 'a.txt': `${'a'.repeat(60)}!`, 'b.txt': 'aaa' })
    const result = await searchFiles(await openWorkspace(root, { fileMs: 50 }), { query: '^(a+)+$', regex: true })
    expect(result).toEqual({
      matches: [{ path: 'b.txt', line: 1, text: 'aaa' }],
      total: 1,
      filesWithMatches: 1,
      filesSearched: 1,
      notes: ['The pattern took too long in a.txt. Use a simpler one, without nested repetition.'],
    })
  })

  it('C4: finds the same with a pattern that could run for ever as with one that could not', async () => {
    const workspace = await openWorkspace(await temporaryFolder(tree))
    const found = async (query: string) =>
      (await searchFiles(workspace, { query, regex: true })).matches.map(({ path, line }) => `${path}:${line}`)
    expect(await found('TODO')).toEqual(['a.ts:1', 'sub/b.ts:2', 'sub/deep/c.ts:1'])
    for (const query of ['TODO.*', '(TOD)+O', 'T+O+D+O+', '(T|t)ODO{1}']) expect(await found(query), query).toEqual(await found('TODO'))
  })

  it('C4: bounds the time and the bytes of one search and says what was not searched', async () => {
    const slow = `${'a'.repeat(60)}!`
    const root = await temporaryFolder({ '1': slow, '2': slow, '3': slow, '4': slow })
    const timed = await searchFiles(await openWorkspace(root, { fileMs: 30, searchMs: 40 }), { query: '^(a+)+$', regex: true })
    expect(timed.notes?.[0]).toMatch(/^Stopped before the end: [123] files were not searched\./)
    const sized = await searchFiles(await openWorkspace(root, { searchBytes: 100 }), { query: '!' })
    expect(sized).toMatchObject({ total: 2, filesSearched: 2, notes: [expect.stringContaining('2 files were not searched')] })
  })

  it('C4: counts the matches that it does not show and cuts long lines around the match', async () => {
    const root = await temporaryFolder({ a: 'x\nx\nx\n', b: `${'-'.repeat(50)}needle${'-'.repeat(50)}`, c: `${'-'.repeat(150)}needle` })
    const workspace = await openWorkspace(root, { matches: 2, matchCharacters: 20, lineCharacters: 120 })
    expect(await searchFiles(workspace, { query: 'x' })).toMatchObject({
      matches: [{ line: 1 }, { line: 2 }],
      total: 3,
      notes: [
        'Shows 2 of 3 matching lines. Search a sub-folder or a file to see the rest.',
        'Of lines longer than 120 characters only the beginning was searched: 1.',
      ],
    })
    expect(await searchFiles(workspace, { query: 'needle' })).toMatchObject({
      matches: [{ path: 'b', text: '…-----needle---------…' }],
      total: 1,
    })
  })

  it('C4: names binary, huge and unreadable files that it passed over, and does not follow links', async () => {
    const root = await temporaryFolder({ 'a.bin': 'TODO\0', 'b.txt': 'TODO'.repeat(30), 'c.txt': 'TODO', 'd.txt': 'TODO' })
    await chmod(join(root, 'c.txt'), 0o000)
    await symlink('d.txt', join(root, 'e.txt'))
    const workspace = await openWorkspace(root, { fileBytes: 100 })
    expect(await withoutRoot(() => searchFiles(workspace, { query: 'TODO' }))).toEqual({
      matches: [{ path: 'd.txt', line: 1, text: 'TODO' }],
      total: 1,
      filesWithMatches: 1,
      filesSearched: 1,
      notes: [
        'Symbolic links are not followed: 1 left out.',
        'Binary files are not searched: a.bin.',
        'Files larger than 100 bytes are not searched: b.txt.',
        'Files that cannot be read: c.txt.',
      ],
    })
    await expect(searchFiles(workspace, { query: 'TODO', path: 'a.bin' })).rejects.toMatchObject({ reason: 'binary' })
  })

  it('C4: says so of a file whose name is no UTF-8, and takes a backslash for an ordinary letter', async () => {
    const root = await temporaryFolder({ 'a\\b/c.txt': 'TODO', 'a\\b/.gitignore': 'd.txt', 'a\\b/d.txt': 'TODO' })
    await writeFile(Buffer.concat([Buffer.from(`${root}/x`), Buffer.from([0xe9])]), 'TODO')
    expect(await searchFiles(await openWorkspace(root), { query: 'TODO' })).toMatchObject({
      matches: [{ path: 'a\\b/c.txt' }],
      notes: ['Files that cannot be read: x\uFFFD.'],
    })
    expect(await searchFiles(await openWorkspace(root), { query: 'TODO', path: 'a\\b' })).toMatchObject({ total: 1 })
  })

  it('C4: stops between two files when its signal aborts', async () => {
    const workspace = await openWorkspace(await temporaryFolder(tree))
    await expect(searchFiles(workspace, { query: 'x' }, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
  })
})
