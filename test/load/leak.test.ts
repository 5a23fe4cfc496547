import { createActor, fromCallback } from 'xstate'
import { expect, it } from 'vitest'
import { createSubagentService, rootAgent } from '../../src/index.ts'
import type { ProviderRun, SubagentProvider, SubagentResult, SubagentStartRequest } from '../../src/index.ts'
import { deferred } from '../../src/run/deferred.ts'
import { heapAfterGc } from './heap.ts'

/** `npm run test:long` takes a million. */
const runs = process.env.STEPS === undefined ? 8_000 : 1_000_000
const checkpoints = 10
const allowedBytes = 2 * 1024 * 1024

const quiet = { debug: () => {}, warn: () => {}, error: () => {} }
const parent = rootAgent()
const answer: SubagentResult = { output: [{ type: 'text', text: 'done' }], stopReason: 'completed' }

/** A child that does what its label says. */
const provider: SubagentProvider = {
  name: 'own',
  capabilities: { outputSchema: false, depthLimit: false, toolFilter: false },
  start: ({ label }, context): ProviderRun => {
    if (label === 'throws') throw new Error('cannot start')
    const result = deferred<SubagentResult>()
    if (label === 'updates') for (let update = 0; update < 5; update++) context.update({ type: 'text', text: 'some text' })
    if (label === 'asks') context.ask({ id: 'ask', title: 'May I?', options: [] }).answer()
    if (label === 'actor')
      createActor(
        fromCallback(() => {}),
        { parent: context.self } as never,
      ).start()
    if (label === 'rejects') result.reject(new Error('the line broke'))
    else if (label !== 'cancelled' && label !== 'parent') result.resolve(answer)
    return {
      id: `agent of ${context.runId}`,
      result: result.promise,
      cancel: () => result.resolve({ output: [], stopReason: 'aborted' }),
      dispose: async () => {
        if (label === 'held') throw new Error('still held')
      },
    }
  },
}

const kinds = ['plain', 'updates', 'cancelled', 'signal', 'asks', 'throws', 'rejects', 'parent', 'held', 'read', 'actor'] as const

it(`R5, S25: ${runs} runs one after the other leave nothing: the heap stays flat within 2 MB`, async () => {
  const service = createSubagentService({ providers: [provider], logger: quiet, maxConcurrentRuns: 4, timeoutMs: 60_000 })
  let ends = 0
  service.on('subagent/end', () => void ends++)
  const { signal } = new AbortController()

  const startThrows = (request: SubagentStartRequest): void => {
    try {
      service.start('own', request)
    } catch {
      return
    }
    throw new Error('A start that should throw has not.')
  }
  const one = async (kind: (typeof kinds)[number]): Promise<void> => {
    const request = { parent, prompt: 'go', label: kind, ...(kind === 'signal' && { signal }) }
    if (kind === 'throws') return startThrows(request)
    await using run = service.start('own', request)
    if (kind === 'cancelled') run.cancel()
    if (kind === 'parent') {
      service.start('own', { ...request, label: 'cancelled', parent: rootAgent({ id: run.id, depth: 1 }) })
      run.cancel()
    }
    if (kind === 'read') for await (const update of run.updates) void update
    await run.result.catch(() => {})
    if (kind === 'held') await run.dispose().catch(() => {})
  }
  const some = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n++) {
      try {
        await one(kinds[n % kinds.length]!)
      } catch (error) {
        // What `await using` says of a release that failed.
        if ((error as Error).message !== 'still held') throw error
      }
    }
  }

  // The first runs fill caches and compile.
  await some(Math.max(4_000, runs / 50))
  const heaps = [await heapAfterGc()]
  for (let part = 0; part < checkpoints; part++) {
    await some(runs / checkpoints)
    heaps.push(await heapAfterGc())
  }
  const megabytes = heaps.map((bytes) => (bytes / 1024 / 1024).toFixed(2))
  expect(Math.max(...heaps) - heaps[0]!, `megabytes after each tenth: ${megabytes.join(', ')}`).toBeLessThan(allowedBytes)
  expect(ends).toBeGreaterThan(runs * 0.9)
  await service.close()
}, 1_200_000)
