import fc from 'fast-check'
import { expect, it } from 'vitest'
import { counter, property } from './commands.ts'

/** `npm run test:long` asks for more. */
const wanted = Number(process.env.STEPS ?? 10_000)
const { SEED, SHRUNK, REPLAY } = process.env
const sequences = 200

it(`K5, R4, R5, R6, R7, R8, R9, R10, R11, R12, S4, S5, S7, S15, S16, S17, S18, S21, S22: ${wanted} random steps, each seen as the model says`, async () => {
  if (SEED !== undefined) return check(Number(SEED), { ...(SHRUNK !== undefined && { path: SHRUNK }) })
  let seed = Number(process.env.FIRST_SEED ?? 1)
  for (counter.steps = 0; counter.steps < wanted; seed++) await check(seed)
  expect(counter.steps).toBeGreaterThanOrEqual(wanted)
}, 3_600_000)

async function check(seed: number, options: { readonly path?: string } = {}): Promise<void> {
  const details = await fc.check(property(REPLAY), { seed, numRuns: sequences, ...options })
  if (!details.failed) return
  const [limits, commands, finish] = details.counterexample ?? []
  const steps = String(commands)
  const replay = /replayPath="([^"]*)"/.exec(steps)?.[1] ?? ''
  throw new Error(
    `${messageOf(details.errorInstance)}\n\nAfter, under limits ${JSON.stringify(limits)}:\n  ${steps
      .replace(/ ?\/\*.*\*\//, '')
      .split(',')
      .join('\n  ')}\n  then ${finish}\n` +
      `Seed ${details.seed}, shrunk ${details.numShrinks} times. To see it again:\n  SEED=${details.seed} SHRUNK=${details.counterexamplePath} REPLAY=${replay} npx vitest run test/property\n`,
  )
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
