import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { blocksOf, fillBlocks } from '../../scripts/docs/blocks.ts'
import { comparable, pages, readSource } from '../../scripts/docs/sources.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const blocks = pages(root).flatMap((page) => blocksOf(readFileSync(join(root, page), 'utf8')).map((block) => ({ page, ...block })))
const code = ['ts', 'js', 'tsx', 'jsx', 'typescript', 'javascript']

describe('the pages', () => {
  it('quote no code that is not a file of examples/, where it is compiled', () => {
    const loose = blocks.filter(({ language, source }) => code.includes(language) && source?.kind !== 'code')
    expect(loose.map(({ page, body }) => `${page}: ${body.split('\n')[0]}`)).toEqual([])
    expect(blocks.filter(({ source }) => source?.kind === 'code').every(({ source }) => source!.of.startsWith('examples/'))).toBe(true)
  })

  it.each(blocks.filter(({ source }) => source?.kind === 'code'))('$page has $source.of as it is', ({ body, source }) => {
    expect(body).toBe(readSource(root, source!))
  })

  it.each(blocks.filter(({ source }) => source?.kind === 'output'))('$page has what $source.of prints', ({ body, source }) => {
    expect(comparable(body)).toEqual(comparable(readSource(root, source!)))
  })

  it('are checked by something that can fail', () => {
    const page = '<!-- code of: examples/a.ts -->\n```ts\nold\n```\n\n```ts\nloose\n```\n'
    expect(blocksOf(page)).toEqual([
      { language: 'ts', body: 'old\n', source: { kind: 'code', of: 'examples/a.ts' } },
      { language: 'ts', body: 'loose\n' },
    ])
    expect(fillBlocks(page, ({ of }) => `new of ${of}\n`)).toContain('```ts\nnew of examples/a.ts\n```')
    expect(comparable('a  12ms\nb')).toEqual(comparable('b\na 345ms'))
    expect(comparable('a')).not.toEqual(comparable('b'))
  })
})
