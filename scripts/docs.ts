/** Makes the pages that are made of something else, and fills the code and the output that the pages quote: `npm run docs`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { misbehaviourPage, renderMisbehaviour } from './docs/acp-misbehaviour.ts'
import { fillBlocks } from './docs/blocks.ts'
import { pages, readSource } from './docs/sources.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
writeFileSync(join(root, misbehaviourPage), renderMisbehaviour())
for (const page of pages(root)) {
  const path = join(root, page)
  writeFileSync(
    path,
    fillBlocks(readFileSync(path, 'utf8'), (source) => readSource(root, source)),
  )
}
