import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'

interface Figure {
  readonly subject: string
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly bound?: number
  readonly reference?: string
}

const bench = fileURLToPath(new URL('../../bench', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'bench-'))
const notSubjects = new Set(['index.js', 'measure.js', 'acp-agent.js', 'acp-subjects.js'])
const subjects = readdirSync(bench)
  .filter((name) => name.endsWith('.js') && !notSubjects.has(name))
  .map((name) => name.slice(0, -'.js'.length))

afterAll(() => rmSync(folder, { recursive: true }))

const run = (...args: readonly string[]) => spawnSync(process.execPath, [join(bench, 'index.js'), ...args], { encoding: 'utf8' })

it.each(subjects)('the benchmark of %s runs, and tells and writes the same figures', (subject) => {
  const json = join(folder, `${subject}.json`)
  const { status, stdout, stderr } = run(subject, '--quick', '--json', json)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const { figures } = JSON.parse(readFileSync(json, 'utf8')) as { readonly figures: readonly Figure[] }
  expect(figures.length).toBeGreaterThan(0)
  for (const { value, ...figure } of figures) {
    expect(figure).toMatchObject({ subject, name: expect.any(String), unit: expect.stringMatching(/^(?:×|kB|ms|µs|s)$/) })
    expect(Number.isFinite(value), figure.name).toBe(true)
    expect(figure.bound ?? figure.reference, `${figure.name} has nothing to be set beside`).toBeDefined()
    expect(stdout).toContain(figure.name)
  }
})

it('a subject that there is none of is refused, with the names of those there are', () => {
  const { status, stderr } = run('nothing')
  expect(status).toBe(2)
  for (const subject of subjects) expect(stderr).toContain(subject)
})
