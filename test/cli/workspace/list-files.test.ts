import { chmod, mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listFiles } from '../../../src/cli/workspace/list-files.ts'
import { openWorkspace } from '../../../src/cli/workspace/workspace.ts'
import { temporaryFolder, withoutRoot } from './temporary-folder.ts'

describe('list_files', () => {
  it('C4: lists in a fixed order and counts the files of each folder', async () => {
    const root = await temporaryFolder({ 'b/z.ts': '', 'b/a/y.ts': '', 'a.ts': '', 'B.ts': '', 'c/d/e/f.ts': '' })
    const workspace = await openWorkspace(root)
    expect(await listFiles(workspace, '.')).toEqual({
      path: '.',
      total: 5,
      files: ['B.ts', 'a.ts', 'b/z.ts', 'b/a/y.ts', 'c/d/e/f.ts'],
      folders: [
        { path: 'b', files: 2 },
        { path: 'c', files: 1 },
      ],
    })
    expect(await listFiles(workspace, './b/')).toEqual({
      path: 'b',
      total: 2,
      files: ['b/z.ts', 'b/a/y.ts'],
      folders: [{ path: 'b/a', files: 1 }],
    })
  })

  it('C4: gives an empty folder as empty, and says so of a file or of nothing', async () => {
    const root = await temporaryFolder({ 'a.ts': '' })
    await mkdir(join(root, 'empty'))
    const workspace = await openWorkspace(root)
    expect(await listFiles(workspace, 'empty')).toEqual({ path: 'empty', total: 0, files: [], folders: [] })
    await expect(listFiles(workspace, 'a.ts')).rejects.toMatchObject({ reason: 'not-a-folder' })
    await expect(listFiles(workspace, 'none')).rejects.toMatchObject({ reason: 'missing' })
  })

  it('C4: of too many files shows the nearest and says how many there are', async () => {
    const root = await temporaryFolder({ 'a/deep/1': '', 'a/deep/2': '', 'a/3': '', 'z/4': '', top: '' })
    expect(await listFiles(await openWorkspace(root, { listed: 3 }), '.')).toEqual({
      path: '.',
      total: 5,
      files: ['top', 'a/3', 'z/4'],
      folders: [
        { path: 'a', files: 3 },
        { path: 'z', files: 1 },
      ],
      notes: ['Shows 3 of 5 files. List a sub-folder to see the rest of it.'],
    })
  })

  it('C4: says so when it stopped, went no deeper, or followed no link', async () => {
    const root = await temporaryFolder({ 'a/b/c/d': '', 'a/e': '', f: '', g: '' })
    await symlink('f', join(root, 'link'))
    expect((await listFiles(await openWorkspace(root, { entries: 2 }), '.')).notes).toEqual([
      'Stopped after 2 entries: there is more. Give a sub-folder as path to see the rest.',
    ])
    const shallow = await listFiles(await openWorkspace(root, { depth: 1 }), '.')
    expect(shallow).toMatchObject({ files: ['f', 'g', 'a/e'] })
    expect(shallow.notes).toEqual(['Folders deeper than 1 levels were left out: a/b.', 'Symbolic links are not followed: 1 left out.'])
  })

  it('C4: names a folder that cannot be read and goes on', async () => {
    const root = await temporaryFolder({ 'locked/a': '', b: '' })
    await chmod(join(root, 'locked'), 0o000)
    const workspace = await openWorkspace(root)
    expect(await withoutRoot(() => listFiles(workspace, '.'))).toMatchObject({
      files: ['b'],
      notes: ['Folders that cannot be read: locked.'],
    })
    await expect(withoutRoot(() => listFiles(workspace, 'locked'))).rejects.toMatchObject({ reason: 'unreadable' })
  })

  it('C4: stops when its signal aborts', async () => {
    const workspace = await openWorkspace(await temporaryFolder({ a: '' }))
    await expect(listFiles(workspace, '.', AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
  })
})

describe('a workspace', () => {
  it('C4: is a folder that exists', async () => {
    const root = await temporaryFolder({ file: '' })
    await expect(openWorkspace(join(root, 'none'))).rejects.toMatchObject({ reason: 'missing' })
    await expect(openWorkspace(join(root, 'file'))).rejects.toMatchObject({ reason: 'not-a-folder' })
    await symlink(root, join(root, 'self'))
    expect((await openWorkspace(join(root, 'self'))).root).toBe(root)
  })
})
