/**
 * `npm run test:mutants [-- R4 S22 …]`: makes the mistakes of test/mutants.ts one by one, each in a copy of the tree, and runs
 * the tests that cite its requirement. A mistake that none of them finds is a survivor; with one of those it ends with 1.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { mutants } from '../test/mutants.ts'
import type { Mutant } from '../test/mutants.ts'
import { citationsOf, titlesOf } from '../test/project/citations.ts'
import { listProjectFiles, readProjectFile, root } from '../test/project/source-files.ts'

type Verdict = 'killed' | 'survived' | 'broken'

/** These cite much and take long: they are asked where the others found nothing. */
const isSlow = (path: string): boolean => path.startsWith('test/property/') || path.startsWith('test/load/')

const files = new Map<string, string[]>()
for (const path of listProjectFiles('test', '.test.ts'))
  for (const { text } of titlesOf(path, readProjectFile(path)))
    for (const id of citationsOf(text).ids) if (!files.get(id)?.includes(path)) files.set(id, [...(files.get(id) ?? []), path])

const wanted = process.argv.slice(2)
const chosen = wanted.length > 0 ? mutants.filter(({ id }) => wanted.includes(id)) : mutants
const unknown = wanted.filter((id) => !mutants.some((mutant) => mutant.id === id))
if (unknown.length > 0) fail(`No mutant is listed for ${unknown.join(', ')}.`)

const copy = mkdtempSync(join(tmpdir(), 'mutants-'))
process.on('exit', () => rmSync(copy, { recursive: true, force: true }))
copyTree()

const quick = [...new Set(chosen.flatMap(({ id }) => files.get(id) ?? []))].filter((path) => !isSlow(path))
const sound = run(quick, undefined)
if (sound.passed === 0 || sound.failed.length > 0 || sound.unusable)
  fail(`Without a mutant these tests have to pass first:\n${sound.failed.join('\n') || sound.output}`)
console.log(`${sound.passed} tests pass as they should. ${chosen.length} mutants:`)

const survivors: string[] = []
for (const mutant of chosen) {
  const startedAt = performance.now()
  const { verdict, by } = judge(mutant)
  if (verdict !== 'killed') survivors.push(mutant.id)
  console.log(
    `${mutant.id.padEnd(4)} ${verdict.padEnd(9)} ${String(Math.round((performance.now() - startedAt) / 1000)).padStart(3)} s  ${by}`,
  )
}
if (survivors.length > 0) fail(`Not found: ${survivors.join(', ')}.`)
console.log('All found.')

function judge(mutant: Mutant): { readonly verdict: Verdict; readonly by: string } {
  const path = join(copy, 'src', mutant.file)
  const source = readFileSync(path, 'utf8')
  const parts = source.split(mutant.find)
  if (parts.length !== 2)
    return { verdict: 'broken', by: `${JSON.stringify(mutant.find)} is ${parts.length - 1} times in src/${mutant.file}` }
  writeFileSync(path, parts.join(mutant.replace))
  try {
    const citing = files.get(mutant.id) ?? []
    for (const some of [citing.filter((file) => !isSlow(file)), citing.filter(isSlow)]) {
      if (some.length === 0) continue
      const { failed, unusable, output } = run(some, mutant.id)
      if (unusable) return { verdict: 'broken', by: output }
      if (failed.length > 0) return { verdict: 'killed', by: failed[0]! }
    }
    return { verdict: 'survived', by: `${citing.length} files cite it` }
  } finally {
    writeFileSync(path, source)
  }
}

interface Outcome {
  readonly passed: number
  /** Titles of the tests that failed. */
  readonly failed: readonly string[]
  /** Nothing could be run: a mutant that is no program proves nothing. */
  readonly unusable: boolean
  readonly output: string
}

function run(paths: readonly string[], id: string | undefined): Outcome {
  const report = join(copy, 'report.json')
  rmSync(report, { force: true })
  const options = [
    'run',
    ...paths,
    '--reporter=json',
    `--outputFile=${report}`,
    ...(id === undefined ? [] : ['-t', `\\b${id}\\b`, '--bail=1', '--testTimeout=20000']),
  ]
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const { stdout, stderr } = spawnSync(process.execPath, [vitest, ...options], {
    cwd: copy,
    encoding: 'utf8',
    timeout: 300_000,
    env: { ...process.env, NO_COLOR: '1' },
  })
  const output = `${stdout}\n${stderr}`.trim().slice(-2000)
  let results: { testResults: { name: string; message?: string; assertionResults: { status: string; fullName: string }[] }[] }
  try {
    results = JSON.parse(readFileSync(report, 'utf8')) as typeof results
  } catch {
    // No report: the mutant ended the whole process, or held it up; a test did not pass.
    return {
      passed: 0,
      failed: id === undefined ? [] : [`the test run did not come to its end: ${output.slice(-200)}`],
      unusable: id === undefined,
      output,
    }
  }
  const tests = results.testResults.flatMap(({ assertionResults }) => assertionResults)
  const failed = tests.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName)
  const unusable =
    tests.length === 0 || (failed.length === 0 && results.testResults.some(({ assertionResults }) => assertionResults.length === 0))
  return {
    passed: tests.filter(({ status }) => status === 'passed').length,
    failed,
    unusable,
    output: unusable ? (results.testResults.find(({ message }) => message)?.message ?? output) : output,
  }
}

/** What git knows or would add, as it is on disk now; the packages are shared. */
function copyTree(): void {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root, encoding: 'utf8' })
  for (const path of listed.split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(copy, path)), { recursive: true })
    try {
      cpSync(join(root, path), join(copy, path))
    } catch (error) {
      // Removed on disk, but not yet in git.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  // Built code is for the few tests that look at the package from outside; those who look for mutants import the source.
  for (const folder of ['node_modules', 'dist']) symlinkSync(join(root, folder), join(copy, folder), 'dir')
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
