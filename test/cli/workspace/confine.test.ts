import { mkdir, rename, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { confine } from '../../../src/cli/workspace/confine.ts'
import { readFile } from '../../../src/cli/workspace/read-file.ts'
import { searchFiles } from '../../../src/cli/workspace/search-files.ts'
import { openWorkspace } from '../../../src/cli/workspace/workspace.ts'
import { temporaryFolder } from './temporary-folder.ts'

describe('the fence around a workspace', () => {
  it('C4: gives the real path of what is inside, however it is written', async () => {
    const root = await temporaryFolder({ 'src/a.ts': '' })
    for (const path of ['src/a.ts', './src/a.ts', 'src//a.ts', 'src/../src/a.ts']) {
      expect(await confine(root, path)).toEqual({ path: 'src/a.ts', real: join(root, 'src/a.ts') })
    }
    for (const path of ['', '.', './', 'src/..']) expect(await confine(root, path)).toEqual({ path: '.', real: root })
  })

  it('C4: refuses absolute paths, parent folders and NUL, each with its reason', async () => {
    const root = await temporaryFolder({ 'a.txt': '' })
    for (const path of ['/etc/passwd', join(root, 'a.txt'), '..', '../', 'src/../../x', '../a.txt']) {
      await expect(confine(root, path)).rejects.toMatchObject({ reason: 'outside' })
    }
    await expect(confine(root, 'a\0b')).rejects.toMatchObject({ reason: 'invalid-input' })
    await expect(confine(root, 'b.txt')).rejects.toMatchObject({
      reason: 'missing',
      message: expect.stringContaining('b.txt does not exist'),
    })
    await expect(confine(root, 'a.txt/b')).rejects.toMatchObject({ reason: 'missing' })
  })

  it('C4: follows a link that stays inside and refuses one that leads out, also in the middle of a path', async () => {
    const outside = await temporaryFolder({ 'secret.txt': 'secret', 'inner/deep.txt': 'secret' })
    const root = await temporaryFolder({ 'real/a.txt': 'a' })
    await symlink('real', join(root, 'inside'))
    await symlink(outside, join(root, 'out'))
    await symlink(join(outside, 'secret.txt'), join(root, 'file'))
    await symlink('inside/../out', join(root, 'chained'))
    await symlink(root, join(root, 'real/up'))
    expect(await confine(root, 'inside/a.txt')).toEqual({ path: 'inside/a.txt', real: join(root, 'real/a.txt') })
    expect((await confine(root, 'real/up/real/a.txt')).real).toBe(join(root, 'real/a.txt'))
    for (const path of ['out', 'out/secret.txt', 'out/inner/deep.txt', 'file', 'chained/secret.txt', 'real/up/out/secret.txt']) {
      await expect(confine(root, path), path).rejects.toMatchObject({ reason: 'outside' })
    }
  })

  it('C4: does not tell whether a file outside exists', async () => {
    const outside = await temporaryFolder({ 'there.txt': '' })
    const root = await temporaryFolder()
    await symlink(outside, join(root, 'out'))
    await symlink(join(outside, 'there.txt'), join(root, 'link'))
    await symlink(join(outside, 'missing.txt'), join(root, 'dangling'))
    const message = async (path: string) => (await confine(root, path).catch((error: Error) => error.message)) as string
    expect((await message('out/there.txt')).replace('there', 'missing')).toBe(await message('out/missing.txt'))
    expect((await message('link')).replace('link', 'dangling')).toBe(await message('dangling'))
  })

  it('C4: takes a folder whose name begins like the root for outside', async () => {
    const parent = await temporaryFolder({ 'app/a.txt': '', 'app-secrets/b.txt': '' })
    await symlink('../app-secrets', join(parent, 'app/link'))
    await expect(confine(join(parent, 'app'), 'link/b.txt')).rejects.toMatchObject({ reason: 'outside' })
  })

  it('C4: refuses a file that became a link after it was found', async () => {
    const outside = await temporaryFolder({ 'secret.txt': 'the secret' })
    const root = await temporaryFolder({ 'a.txt': 'harmless', 'b.txt': 'harmless' })
    const workspace = await openWorkspace(root)
    await mkdir(join(root, 'kept'))
    // The fence looks at the path before the file is opened: swapped in between, the open itself refuses.
    const { readTextFile } = await import('../../../src/cli/workspace/text-file.ts')
    const located = await confine(root, 'a.txt')
    await rename(join(root, 'a.txt'), join(root, 'kept/a.txt'))
    await symlink(join(outside, 'secret.txt'), join(root, 'a.txt'))
    await expect(readTextFile(located, 1000)).rejects.toMatchObject({ reason: 'unreadable' })
    await expect(readFile(workspace, 'a.txt')).rejects.toMatchObject({ reason: 'outside' })
    expect((await searchFiles(workspace, { query: 'secret' })).matches).toEqual([])
  })
})
