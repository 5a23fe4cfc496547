/** What each entry of the package costs whoever bundles it: its own code, minified and compressed; packages are left outside. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import type { Rolldown } from 'vite'

export interface EntrySize {
  /** As it is imported: `.`, `./agents`. */
  readonly entry: string
  /** Bytes after gzip of what is loaded with the entry. */
  readonly atOnce: number
  /** Bytes after gzip of what an `import()` of it loads when it is needed. */
  readonly later: number
}

interface Manifest {
  readonly exports: Readonly<Record<string, { readonly default: string } | string>>
}

/** The sizes of all entries that `package.json` of `root` exports, from what was built to `dist`. */
export async function measureEntries(root: string): Promise<EntrySize[]> {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
  const sizes: EntrySize[] = []
  for (const [entry, target] of Object.entries(manifest.exports)) {
    if (typeof target !== 'string') sizes.push({ entry, ...(await measure(root, join(root, target.default))) })
  }
  return sizes
}

async function measure(root: string, file: string): Promise<Omit<EntrySize, 'entry'>> {
  const built = await build({
    root,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    build: {
      write: false,
      target: 'es2023',
      lib: { entry: file, formats: ['es'] },
      // Whatever is no file of ours.
      // A library keeps its line breaks unless told otherwise here.
      rolldownOptions: { external: (id) => !/^[./]|^[a-z]:[\\/]/i.test(id), output: { minify: true } },
    },
  })
  const chunks = new Map(outputsOf(built).map((chunk) => [chunk.fileName, chunk]))
  const first = [...chunks.values()].find(({ isEntry }) => isEntry)
  if (!first) throw new Error(`${file} gave no bundle.`)
  const atOnce = new Set<string>()
  const follow = (name: string): void => {
    const chunk = chunks.get(name)
    if (!chunk || atOnce.has(name)) return
    atOnce.add(name)
    for (const next of chunk.imports) follow(next)
  }
  follow(first.fileName)
  const sum = (names: Iterable<string>): number => [...names].reduce((bytes, name) => bytes + gzipSync(chunks.get(name)!.code).length, 0)
  return { atOnce: sum(atOnce), later: sum([...chunks.keys()].filter((name) => !atOnce.has(name))) }
}

/** A library has one output a format, and is not watched. */
function outputsOf(built: Awaited<ReturnType<typeof build>>): Rolldown.OutputChunk[] {
  const bundles = Array.isArray(built) ? built : [built as Rolldown.RolldownOutput]
  return bundles.flatMap(({ output }) => output.filter((file) => file.type === 'chunk'))
}
