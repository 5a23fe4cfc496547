/** Fills the code and the output that the pages quote: `npm run docs`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fillBlocks } from './docs/blocks.ts'
import { pages, readSource } from './docs/sources.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
for (const page of pages(root)) {
  const path = join(root, page)
  writeFileSync(
    path,
    fillBlocks(readFileSync(path, 'utf8'), (source) => readSource(root, source)),
  )
}
