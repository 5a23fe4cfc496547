/**
 * Builds the page of src/inspect/page/app into one file each of HTML, JavaScript and CSS, with the licences of what is in them.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const bundled = ['preact', '@preact/signals', '@preact/signals-core']

/** @param root of the project; does nothing where it has no page */
export async function buildPage(root) {
  const source = join(root, 'src/inspect/page/app')
  const output = join(root, 'dist/inspect/page/app')
  if (!existsSync(join(source, 'index.html'))) return
  const { build } = await import('vite')
  await build({
    root: source,
    base: './',
    configFile: false,
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: output,
      emptyOutDir: true,
      target: 'es2022',
      // The first with light-dark().
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
      modulePreload: false,
      reportCompressedSize: false,
      rollupOptions: { output: { entryFileNames: 'app.js', assetFileNames: 'app[extname]' } },
    },
  })
  const licences = bundled.map((name) => `${name}\n\n${readFileSync(join(root, 'node_modules', name, 'LICENSE'), 'utf8').trim()}\n`)
  mkdirSync(output, { recursive: true })
  writeFileSync(join(output, 'LICENSES.txt'), licences.join('\n\n'))
}
