import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { posix } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { listProjectFiles, readProjectFile, root } from './source-files.ts'

/** Built before: what packing does to `dist` is not looked at here. */
function packedFiles(): string[] {
  const report = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error'], {
    cwd: root,
    encoding: 'utf8',
  })
  const [{ files }] = JSON.parse(report) as [{ files: { path: string }[] }]
  return files.map(({ path }) => path)
}

/** Targets of links and pictures that are no addresses, without what comes after #. */
function relativeLinks(markdown: string): string[] {
  return Array.from(markdown.matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => target.replace(/#.*/, '')).filter(
    (target) => target !== '' && !/^[a-z]+:/.test(target),
  )
}

describe('the packed package', () => {
  let files: string[] = []
  beforeAll(() => {
    files = packedFiles()
  })
  const has = (path: string): boolean => files.includes(path) || files.some((file) => file.startsWith(`${path.replace(/\/$/, '')}/`))

  it('has whatever its README links to', () => {
    const links = relativeLinks(readProjectFile('README.md'))
    expect(links.length).toBeGreaterThan(20)
    expect(links.filter((link) => !has(link))).toEqual([])
  })

  it('has the guide whole, whose pages link to each other', () => {
    const pages = files.filter((file) => /^docs\/(guide\/)?[^/]*\.md$/.test(file))
    const dead = pages.flatMap((page) =>
      relativeLinks(readProjectFile(page))
        .map((link) => posix.join(posix.dirname(page), link))
        .filter((path) => path.startsWith('docs/') && path.endsWith('.md') && !path.startsWith('docs/api/') && !has(path)),
    )
    expect(dead).toEqual([])
  })

  it('C1: has every file of the sample project that the demo searches', () => {
    const sample = listProjectFiles('examples/sample-project', '').filter((path) => statSync(`${root}/${path}`).isFile())
    expect(sample.length).toBeGreaterThan(15)
    expect(sample.filter((file) => !files.includes(file))).toEqual([])
  })
})
