import { beforeAll, expect, it } from 'vitest'
import { buildProgram } from '../../cli/program-process.ts'
import { killRepeatedly } from './kill-repeatedly.ts'
import { temporaryDirectory } from './temporary-directory.ts'

beforeAll(buildProgram)

it('G8: a hundred processes, each killed at a random moment, lose nothing that they acknowledged', { timeout: 900_000 }, async () => {
  const seed = Number(process.env['SESSION_KILL_SEED'] ?? Date.now() % 2 ** 31)
  console.log(`SESSION_KILL_SEED=${seed}`)
  const directory = temporaryDirectory()
  const chains = await Promise.all([0, 1].map((chain) => killRepeatedly(directory, `chain-${chain}`, 50, seed + chain, 1)))
  const acknowledged = chains.flat()
  console.log(`${acknowledged.length} kills, ${acknowledged.reduce((sum, count) => sum + count, 0)} acknowledgments`)
  // The moments have to fall on work, or nothing was tried.
  expect([acknowledged.length, acknowledged.filter((count) => count > 0).length > 50], `seed ${seed}`).toEqual([100, true])
})
