import { expect, it } from 'vitest'
import { createSubagentService, rootAgent } from '../../src/index.ts'
import type { SubagentProvider, SubagentRun, SubagentService } from '../../src/index.ts'
import { deferred } from '../../src/run/deferred.ts'
import type { SubagentResult } from '../../src/types.ts'
import { loopBlocks } from './loop-blocks.ts'

const count = 100_000
const allowedMs = 50
const attempts = 3
const capabilities = { outputSchema: false, depthLimit: false, toolFilter: false }

function provider(name: string, options: { readonly deaf?: boolean; readonly stuck?: boolean } = {}): SubagentProvider {
  return {
    name,
    capabilities,
    start: () => {
      const result = deferred<SubagentResult>()
      return {
        result: result.promise,
        cancel: () => {
          if (!options.deaf) result.resolve({ output: [], stopReason: 'aborted' })
        },
        dispose: () => (options.stuck ? new Promise(() => {}) : Promise.resolve()),
      }
    },
  }
}

const quiet = { debug: () => {}, warn: () => {}, error: () => {} }

async function started(service: SubagentService, names: readonly string[]): Promise<SubagentRun[]> {
  const runs: SubagentRun[] = []
  const top = rootAgent()
  while (runs.length < count) {
    const run = service.start(names[runs.length % names.length]!, { parent: top, prompt: 'go' })
    runs.push(run)
    // Every tenth has three runs below it.
    if (runs.length % 10 === 1)
      for (let child = 0; child < 3; child++)
        runs.push(service.start(names[0]!, { parent: rootAgent({ id: run.runId, depth: 1 }), prompt: 'go' }))
    if (runs.length % 1000 < 4) await new Promise<void>((resolve) => setImmediate(resolve))
  }
  return runs
}

it.each([
  ['that settle when they are cancelled', ['willing']],
  ['of which every other is deaf', ['willing', 'deaf']],
  ['of which every other cannot be released', ['willing', 'stuck']],
])(
  `S6: closing ${count} live runs %s blocks the loop no longer than 50 ms at a time`,
  async (_, names) => {
    const longest: number[] = []
    // A block that is ours comes every time; one that comes once is of whoever else uses the machine.
    while (longest.length < attempts && !(Math.min(...longest) < allowedMs)) longest.push(await closeOnce(names))
    expect(Math.min(...longest), `milliseconds, an attempt each: ${longest.map(Math.round).join(', ')}`).toBeLessThan(allowedMs)
  },
  240_000,
)

async function closeOnce(names: readonly string[]): Promise<number> {
  const providers = [provider('willing'), provider('deaf', { deaf: true }), provider('stuck', { stuck: true })]
  const service = createSubagentService({ providers, logger: quiet, cancelGraceMs: 2000, releaseGraceMs: 2000 })
  await started(service, names)
  let ends = 0
  service.on('subagent/end', () => void ends++)
  const startedAt = performance.now()
  const blocks = await loopBlocks(() => service.close())
  console.log(`closed within ${Math.round(performance.now() - startedAt)} ms:`, blocks)
  expect(ends).toBeGreaterThanOrEqual(count)
  expect(service.ref.getSnapshot()).toMatchObject({ value: 'closed' })
  return blocks.longestMs
}
