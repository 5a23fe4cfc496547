import { describe, expect, it } from 'vitest'
import { createSubagentService, rootAgent } from '../../src/index.ts'
import type { SubagentRun } from '../../src/index.ts'
import { scriptedProvider } from '../../src/testing/scripted-provider.ts'
import { collectLogger } from './drivers.ts'
import { liveRuns } from './live-runs.ts'

const parent = rootAgent()
const go = { parent, prompt: 'go' }

function open(steps: Parameters<typeof scriptedProvider>[0], options: object = {}) {
  const scripted = scriptedProvider(steps)
  const service = createSubagentService({ providers: [scripted], logger: collectLogger(), maxConcurrentRuns: 1, ...options })
  const seen: string[] = []
  service.on('*', (event) => void ('runId' in event && seen.push(`${event.type.slice(9)} ${event.runId}`)))
  return { scripted, service, seen }
}

describe('slots under bad conditions', () => {
  it('S21, S13: ten thousand waiters, none of which can be started, are all let in and fail, without running out of stack', async () => {
    const { service, scripted } = open((_request, _context, index) => (index === 0 ? { hang: true } : { startError: new Error('no room') }))
    const first = service.start('scripted', go)
    const waiting = Array.from({ length: 10_000 }, () => service.start('scripted', go))
    scripted.children[0]!.settle()
    await first.result
    const results = await Promise.allSettled(waiting.map(({ result }) => result))
    expect(new Set(results.map((result) => (result.status === 'rejected' ? (result.reason as Error).message : result.status)))).toEqual(
      new Set(['no room']),
    )
    expect(liveRuns(service)).toEqual([first.runId])
  })

  it('S21: a waiter that is cancelled by the very start that took its place, or cancels itself, leaves no slot behind', async () => {
    const runs: SubagentRun[] = []
    const { service, scripted, seen } = open((_request, _context, index) => {
      if (index === 1) {
        runs[2]!.cancel()
        void runs[3]!.dispose()
        runs[1]!.cancel()
      }
      return { hang: true }
    })
    for (const id of ['a', 'b', 'c', 'd', 'e']) runs.push(service.start('scripted', { ...go, id }))
    runs[0]!.cancel()
    await runs[4]!.updates[Symbol.asyncIterator]().return!()
    for (const run of runs.slice(0, 4)) await run.result
    expect(seen).toEqual(['start a', 'end a', 'start c', 'end c', 'start d', 'end d', 'start b', 'end b', 'start e'])
    expect(scripted.children.map(({ runId }) => runId)).toEqual(['a', 'b', 'e'])
    // The slot is one: whoever comes now waits.
    expect(service.start('scripted', go).ref.getSnapshot().value).toEqual({ validating: 'queued' })
  })

  it('S21: a slot is given back once, however often a run ends, is cancelled and disposed', async () => {
    const { service, scripted } = open(() => ({ hang: true }))
    const first = service.start('scripted', { ...go, id: 'first' })
    const waiting = [service.start('scripted', go), service.start('scripted', go)]
    scripted.children[0]!.settle()
    first.cancel()
    await first.result
    first.cancel()
    await first.dispose()
    await first.dispose()
    expect(waiting.map(({ ref }) => ref.getSnapshot().value)).toEqual([{ running: 'active' }, { validating: 'queued' }])
  })

  it("S21: under queue 'reject' a start refused inside the end of a run leaves its slot to the next", async () => {
    const { service, scripted } = open(() => ({ hang: true }), { queue: 'reject' })
    const refused: unknown[] = []
    service.on('subagent/end', () => {
      try {
        service.start('scripted', go)
      } catch (error) {
        refused.push((error as { code?: string }).code)
      }
    })
    const first = service.start('scripted', go)
    scripted.children[0]!.settle()
    await first.result
    // The slot is given back after the event.
    expect(refused).toEqual(['CONCURRENCY_LIMIT'])
    expect(service.start('scripted', go).ref.getSnapshot().value).toEqual({ running: 'active' })
  })
})
