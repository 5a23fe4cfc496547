/**
 * Compiles src/ to dist/, and does nothing where dist/ is newer than everything it is made from, so that `npm start`
 * and `npm test` are never stale and rarely wait. `--force` compiles from scratch.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const source = join(root, 'src')
const output = join(root, 'dist')
const stamp = join(output, '.built')
const executables = ['cli/main.js']
/** Made by another tool, from sources of other names. */
const page = join(output, 'inspect/page/app')
const outputSuffix = /\.(js|d\.ts)(\.map)?$/

/** Files and folders of a tree; the times of folders tell of files that were removed. */
function* walk(path) {
  // Another build may be at work.
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) return
  yield path
  if (!stats.isDirectory()) return
  for (const name of readdirSync(path)) yield* walk(join(path, name))
}

function isFresh() {
  if (!existsSync(stamp)) return false
  const builtAt = statSync(stamp).mtimeMs
  const inputs = [...walk(source), ...['tsconfig.json', 'tsconfig.build.json', 'package-lock.json'].map((name) => join(root, name))]
  return inputs.every((path) => (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) < builtAt)
}

/** The compiler leaves the output of a source file that is gone, and maps that it no longer makes. */
function removeOrphans() {
  if (!existsSync(output)) return
  for (const path of walk(output)) {
    if (!outputSuffix.test(path) || path.startsWith(page)) continue
    const from = join(source, path.slice(output.length).replace(outputSuffix, '.ts'))
    if (path.endsWith('.map') || !existsSync(from)) rmSync(path, { force: true })
  }
}

if (process.argv.includes('--force')) rmSync(output, { recursive: true, force: true })
if (!isFresh()) {
  const startedAt = new Date()
  rmSync(stamp, { force: true })
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc')
  const { status } = spawnSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], { stdio: ['ignore', 2, 2] })
  if (status !== 0) process.exit(1)
  removeOrphans()
  // Loads vite, which is not needed where nothing has changed.
  if (existsSync(join(source, 'inspect/page/app'))) await (await import('./build-page.js')).buildPage(root)
  for (const path of executables.map((name) => join(output, name)).filter(existsSync)) chmodSync(path, 0o755)
  // Stamped with the time at which it began: a file edited meanwhile is newer.
  writeFileSync(stamp, `${startedAt.toISOString()}\n`)
  utimesSync(stamp, startedAt, startedAt)
}
