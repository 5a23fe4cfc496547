import { createActor, fromCallback } from 'xstate'
import { describe, expect, it } from 'vitest'
import { createSubagentService } from '../../src/service.ts'
import type { ProviderRun, SubagentProvider, SubagentRun } from '../../src/types.ts'
import { harness, parent, promises, stateOf, typesOf } from './harness.ts'

const quiet = { debug: () => {}, warn: () => {}, error: () => {} }

/** A service with one provider whose children are made by hand. */
function serviceOf(start: SubagentProvider['start']): (request?: object) => SubagentRun {
  const service = createSubagentService({
    logger: quiet,
    providers: [{ name: 'own', capabilities: { outputSchema: false, depthLimit: false, toolFilter: false }, start }],
  })
  return (request = {}) => service.start('own', { parent, prompt: 'go', ...request })
}
const completed: ProviderRun['result'] = Promise.resolve({ output: [], stopReason: 'completed' })

describe('a release that is troubled', () => {
  it('S25, R10: a provider whose dispose() throws takes its run to disposed all the same, and the actors below it are stopped', async () => {
    let below: { getSnapshot(): { status: string } } | undefined
    const start = serviceOf((_request, context) => {
      below = createActor(
        fromCallback(() => {}),
        { parent: context.self } as never,
      ).start()
      return {
        result: completed,
        cancel: () => {},
        dispose: () => {
          throw new Error('still held')
        },
      }
    })
    const run = start()
    await run.result
    await expect(run.dispose()).rejects.toThrow('still held')
    expect([stateOf(run), run.ref.getSnapshot().status, below!.getSnapshot().status, run.leaked]).toEqual([
      'disposed',
      'done',
      'stopped',
      false,
    ])
  })

  it('R10: a dispose() that disposes its own run, or cancels it, changes nothing', async () => {
    const own: { run?: SubagentRun } = {}
    let disposals = 0
    const start = serviceOf(() => ({
      result: completed,
      cancel: () => {},
      dispose: async () => {
        disposals++
        own.run!.cancel('too late')
        void own.run!.dispose()
      },
    }))
    const run = (own.run = start())
    await run.result
    await run.dispose()
    expect([disposals, run.late, stateOf(run)]).toEqual([1, 1, 'disposed'])
  })

  it('R11: a release that ends after it was given up, well or badly, changes nothing', async () => {
    for (const error of [undefined, new Error('at last, and badly')]) {
      const { clock, provider, start, warnings } = harness({ release: 'never', text: 'done' })
      const run = start({ releaseGraceMs: 10 })
      await run.result
      const disposed = expect(run.dispose()).rejects.toMatchObject({ code: 'RELEASE_TIMEOUT' })
      clock.advance(10)
      await disposed
      const warned = warnings.length
      provider.children[0]!.release(error)
      await promises()
      expect([stateOf(run), run.leaked, warnings.length, clock.pending]).toEqual(['disposed', true, warned, 0])
      await expect(run.dispose()).rejects.toMatchObject({ code: 'RELEASE_TIMEOUT' })
    }
  })

  it('R11: a release that ends in the very tick in which its grace does is decided by what came first', async () => {
    const { clock, provider, start } = harness({ release: 'never', text: 'done' })
    const run = start({ releaseGraceMs: 10 })
    await run.result
    const disposed = expect(run.dispose()).rejects.toMatchObject({ code: 'RELEASE_TIMEOUT' })
    provider.children[0]!.release()
    // The promise has resolved, but nobody has heard of it yet.
    clock.advance(10)
    await disposed
    expect(run.leaked).toBe(true)
  })

  it('R10, R6: a dispose inside every event of a run gives one start, one end, one release', async () => {
    for (const type of ['subagent/start', 'subagent/update', 'subagent/end'] as const) {
      const { service, provider, start, events } = harness({ hang: true, updates: [{ type: 'text', text: 'a' }] })
      const disposals: Promise<void>[] = []
      service.on(type, ({ runId }) => {
        service.ref.send({ type: 'run.dispose', runId })
        service.ref.send({ type: 'run.dispose', runId })
      })
      const run = start()
      if (type === 'subagent/end') run.cancel()
      await run.result
      disposals.push(run.dispose(), run.dispose())
      await Promise.all(disposals)
      expect(typesOf(events), type).toEqual(['subagent/start', 'subagent/update', 'subagent/end'])
      expect([provider.children[0]!.disposals, new Set(disposals).size]).toEqual([1, 1])
    }
  })
})
