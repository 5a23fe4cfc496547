import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readProjectFile, root } from './source-files.ts'

/** A project of two modules with our build. */
const project = mkdtempSync(join(tmpdir(), 'subagents-build-'))
afterAll(() => rmSync(project, { recursive: true, force: true }))
mkdirSync(join(project, 'src/cli'), { recursive: true })
mkdirSync(join(project, 'scripts'))
for (const file of ['scripts/build.js', 'tsconfig.json', 'tsconfig.build.json', 'package.json', 'package-lock.json'])
  cpSync(join(root, file), join(project, file))
symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'), 'junction')
const write = (file: string, text: string): void => writeFileSync(join(project, file), text)
write('src/cli/main.ts', `import { answer } from '../answer.ts'\nconsole.log(answer)\n`)
write('src/answer.ts', `export const answer = 'one'\n`)

function build() {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/build.js'], { cwd: project, encoding: 'utf8' })
  return { status, stdout, stderr }
}
const output = (file: string): string => readFileSync(join(project, 'dist', file), 'utf8')
const quiet = { status: 0, stdout: '', stderr: '' }

describe('the build', () => {
  it('C8: installing builds, and so do start and test where a source is newer: nobody else has to', () => {
    const { scripts } = JSON.parse(readProjectFile('package.json')) as { scripts: Record<string, string> }
    expect(scripts['prepare']).toBe('node scripts/build.js')
    expect(scripts['start']).toMatch(/^node scripts\/build\.js && node dist\/cli\/main\.js demo$/)
    expect(scripts['test']).toMatch(/^node scripts\/build\.js && /)
    expect(scripts['test:production']).toMatch(/^node scripts\/build\.js && /)
  })

  it('C8: makes the command executable and its declarations, and says nothing', () => {
    expect(build()).toEqual(quiet)
    expect(output('answer.js')).toContain(`'one'`)
    expect(existsSync(join(project, 'dist/answer.d.ts'))).toBe(true)
    // Maps are not packed, and a reference to one that is missing is a warning of bundlers.
    for (const file of ['answer.js', 'answer.d.ts']) expect(output(file)).not.toContain('sourceMappingURL')
    expect(statSync(join(project, 'dist/cli/main.js')).mode & 0o111).toBe(process.platform === 'win32' ? 0 : 0o111)
  })

  it('C8: does nothing where nothing changed, and compiles again what was edited', () => {
    const stamp = (): number => statSync(join(project, 'dist/.built')).mtimeMs
    const first = stamp()
    expect(build()).toEqual(quiet)
    expect(stamp()).toBe(first)

    write('src/answer.ts', `export const answer = 'two'\n`)
    write('src/old.ts', 'export const old = true\n')
    expect(build()).toEqual(quiet)
    expect(output('answer.js')).toContain(`'two'`)
    expect(existsSync(join(project, 'dist/old.js'))).toBe(true)
    expect(stamp()).toBeGreaterThan(first)
  })

  it('C8: takes away what a source that is gone has left', () => {
    rmSync(join(project, 'src/old.ts'))
    write('dist/answer.js.map', '{}')
    expect(build()).toEqual(quiet)
    for (const file of ['old.js', 'old.d.ts', 'answer.js.map']) expect(existsSync(join(project, 'dist', file)), file).toBe(false)
  })

  it('fails with the compiler and leaves no stamp that would hide it', () => {
    write('src/answer.ts', `export const answer: number = 'three'\n`)
    const failed = build()
    expect([failed.status, failed.stdout]).toEqual([1, ''])
    expect(failed.stderr).toContain(`src/answer.ts(1,14): error TS2322`)
    expect(existsSync(join(project, 'dist/.built'))).toBe(false)

    write('src/answer.ts', `export const answer = 'four'\n`)
    const past = new Date(Date.now() - 60_000)
    utimesSync(join(project, 'src/answer.ts'), past, past)
    expect(build()).toEqual(quiet)
    expect(output('answer.js')).toContain(`'four'`)
  })
}, 120_000)
