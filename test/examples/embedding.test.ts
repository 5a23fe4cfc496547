import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

function linesOf(example: string): string[] {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['scripts/run.js', example], { cwd: root, encoding: 'utf8' })
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
  return stdout.trimEnd().split('\n')
}

it('the registry works as an invoked actor of a machine of its own (S23)', () => {
  expect(linesOf('examples/embedding/registry-in-a-machine.ts')).toEqual(['idle ', 'asking ', 'asking ', 'packed sunny in Utrecht'])
}, 30_000)

it('a delegation is the work of a state, and leaving it cancels (S24)', () => {
  expect(linesOf('examples/embedding/delegation-in-a-state.ts')).toEqual([
    'a small change: reviewing, verdict none',
    'a huge change: reviewing, verdict none',
    'a huge change: withdrawn, verdict none',
    'end: aborted',
    'end: completed',
    'a small change: reviewed, verdict looks good',
  ])
}, 30_000)
