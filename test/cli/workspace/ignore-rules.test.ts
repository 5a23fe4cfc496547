import { execFileSync } from 'node:child_process'
import { chmod, rename, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listFiles } from '../../../src/cli/workspace/list-files.ts'
import { readFile } from '../../../src/cli/workspace/read-file.ts'
import { searchFiles } from '../../../src/cli/workspace/search-files.ts'
import { openWorkspace } from '../../../src/cli/workspace/workspace.ts'
import { temporaryFolder, withoutRoot } from './temporary-folder.ts'

const files = async (root: string) => (await listFiles(await openWorkspace(root), '.')).files

describe('what a workspace hides', () => {
  it('C4: leaves out .git, node_modules and what .gitignore and .ignore name', async () => {
    const root = await temporaryFolder({
      '.git/config': 'x',
      'node_modules/a/index.js': 'x',
      'sub/node_modules/b/index.js': 'x',
      '.gitignore': '*.log\n/build/\n\n# a comment\n',
      '.ignore': 'generated.ts\n',
      'a.log': 'x',
      'sub/b.log': 'x',
      'build/out.js': 'x',
      'sub/build/kept.js': 'x',
      'sub/generated.ts': 'x',
      'src.ts': 'x',
    })
    expect(await files(root)).toEqual(['.gitignore', '.ignore', 'src.ts', 'sub/build/kept.js'])
  })

  it('C4: lets an inner file win over an outer one and a later line over an earlier, as git does', async () => {
    const tree = {
      '.gitignore': '*.log\n!important.log\nkeep/\n\\#literal\n/only-top.txt\ndocs/*.tmp\n*.bak  \n',
      'a.log': 'x',
      'important.log': 'x',
      'inner/.gitignore': '!*.log\nsecret.txt\n/deep/x.md\n!keep/\n\\!bang\nfoo/\n',
      'inner/b.log': 'x',
      'inner/secret.txt': 'x',
      'inner/deep/secret.txt': 'x',
      'inner/deep/x.md': 'x',
      'inner/deeper/deep/x.md': 'x',
      'inner/keep/y.md': 'x',
      'inner/keep/z.bak': 'x',
      'inner/!bang': 'x',
      'inner/foo': 'a file, and the rule is for folders',
      'inner/more/foo/x': 'x',
      'keep/gone.md': 'x',
      '#literal': 'x',
      'only-top.txt': 'x',
      'other/only-top.txt': 'x',
      'docs/a.tmp': 'x',
      'other/docs/a.tmp': 'x',
      'w [i]/.gitignore': 'here\n',
      'w [i]/here': 'x',
      'w [i]/there': 'x',
      'w i/here': 'x',
    }
    const root = await temporaryFolder(tree)
    const listed = await files(root)
    execFileSync('git', ['init', '-q', root])
    const git = execFileSync('git', ['-C', root, '-c', 'core.quotePath=false', 'ls-files', '-o', '--exclude-standard'], {
      encoding: 'utf8',
    })
    expect([...listed].sort()).toEqual(git.trim().split('\n').sort())
    expect(listed).toContain('inner/keep/y.md')
    expect(listed).not.toContain('inner/keep/z.bak')
  })

  it('C4: honours the rules of the repository around the workspace, unless they hide the workspace itself', async () => {
    const repository = await temporaryFolder({
      '.git/HEAD': 'x',
      '.gitignore': '.env\nvendor/\n/packages/a/tmp/\n',
      'packages/a/.env': 'KEY=1',
      'packages/a/tmp/x': 'x',
      'packages/a/index.ts': 'x',
      'vendor/lib/index.ts': 'x',
    })
    expect(await files(join(repository, 'packages/a'))).toEqual(['index.ts'])
    expect(await files(join(repository, 'vendor/lib'))).toEqual(['index.ts'])
  })

  it('C4: hides from read_file and search_files what list_files does not show, under any name', async () => {
    const root = await temporaryFolder({
      '.gitignore': '.env\nhidden/\nalias.txt\n',
      '.env': 'KEY=1',
      'hidden/a.txt': 'KEY=2',
      'b.txt': 'KEY=3',
      '.git/config': 'KEY=4',
    })
    await symlink('.env', join(root, 'settings'))
    await symlink('hidden', join(root, 'shown'))
    await symlink('b.txt', join(root, 'alias.txt'))
    const workspace = await openWorkspace(root)
    for (const path of ['.env', 'hidden/a.txt', 'settings', 'shown/a.txt', 'alias.txt', '.git/config', '.git']) {
      await expect(readFile(workspace, path), path).rejects.toMatchObject({ reason: 'ignored' })
      await expect(searchFiles(workspace, { query: 'KEY', path }), path).rejects.toMatchObject({ reason: 'ignored' })
    }
    expect((await searchFiles(workspace, { query: 'KEY' })).matches).toEqual([{ path: 'b.txt', line: 1, text: 'KEY=3' }])
  })

  it('C4: shows nothing of a folder whose rules cannot be read', async () => {
    const root = await temporaryFolder({ 'a.txt': 'x', 'sub/.gitignore': 'secret.txt', 'sub/secret.txt': 'x' })
    await chmod(join(root, 'sub/.gitignore'), 0o000)
    const listing = await withoutRoot(async () => listFiles(await openWorkspace(root), '.'))
    expect(listing).toEqual({
      path: '.',
      total: 1,
      files: ['a.txt'],
      folders: [],
      notes: ['Folders whose .gitignore or .ignore cannot be read, so that they are not shown: sub.'],
    })
    const opened = withoutRoot(() => openWorkspace(join(root, 'sub')))
    await expect(opened).rejects.toMatchObject({
      reason: 'rules-unreadable',
      message: 'A .gitignore cannot be read (EACCES), so it is not known what it hides.',
    })
  })

  it('C4: does not read rules through a link, as git does not', async () => {
    const root = await temporaryFolder({ 'sub/rules': '*.txt', 'sub/a.txt': 'x' })
    await symlink('rules', join(root, 'sub/.gitignore'))
    expect(await files(root)).toEqual(['sub/a.txt', 'sub/rules'])
    await rename(join(root, 'sub/rules'), join(root, 'sub/.ignore'))
    expect(await files(root)).toEqual(['sub/.ignore'])
  })

  it('C4: passes over a rule that would be matched for ever, names it, and keeps to the others', async () => {
    const long = 'a'.repeat(200)
    const root = await temporaryFolder({
      '.gitignore': `${'*a'.repeat(14)}*b\nsecret.txt\n*.l*g\n# ${'* '.repeat(9)}\n**/x/**/y*/z\n`,
      [long]: 'x',
      'secret.txt': 'x',
      'a.log': 'x',
      'sub/x/y1/z': 'x',
      'sub/.ignore': `!${'a**'.repeat(5)}\n\\*\\*\\*\\*\\*\n**/**/**/**/**/q\n`,
      'sub/*****': 'x',
    })
    const began = performance.now()
    const listing = await listFiles(await openWorkspace(root), '.')
    expect(performance.now() - began).toBeLessThan(5000)
    expect(listing.files).toEqual(['.gitignore', long, 'sub/.ignore'])
    expect(listing.notes).toEqual([
      `Rules with too many wildcards were passed over, and what they name is not hidden: ${'*a'.repeat(14)}*b in .gitignore, ` +
        `!${'a**'.repeat(5)} in sub/.ignore, **/**/**/**/**/q in sub/.ignore.`,
    ])
  })
})
