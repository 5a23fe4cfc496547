import { describe, expect, it } from 'vitest'
import { harness, promises, stateOf } from './harness.ts'

/** A signal that counts its listeners and what else is done to it. */
function watched(): { controller: AbortController; added: () => number; removed: () => number } {
  const controller = new AbortController()
  let added = 0
  let removed = 0
  const add = controller.signal.addEventListener.bind(controller.signal)
  const remove = controller.signal.removeEventListener.bind(controller.signal)
  controller.signal.addEventListener = ((...args: Parameters<typeof add>) => {
    added++
    add(...args)
  }) as never
  controller.signal.removeEventListener = ((...args: Parameters<typeof remove>) => {
    removed++
    remove(...args)
  }) as never
  return { controller, added: () => added, removed: () => removed }
}

describe("the caller's signal", () => {
  it('R15: has one listener however many runs share it, gone with the last of them', async () => {
    const { controller, added, removed } = watched()
    const { provider, start } = harness({ hang: true })
    const runs = Array.from({ length: 200 }, () => start({ signal: controller.signal }))
    expect([added(), removed()]).toEqual([1, 0])
    for (const child of provider.children.slice(1)) child.settle()
    await promises()
    expect(removed()).toBe(0)
    provider.children[0]!.settle()
    await promises()
    expect([added(), removed()]).toEqual([1, 1])
    expect(runs.every((run) => JSON.stringify(stateOf(run)) === '{"settling":"held"}')).toBe(true)
  })

  it('R15: shared by 200 runs prints no warning', async () => {
    const warnings: Error[] = []
    const onWarning = (warning: Error): void => void warnings.push(warning)
    process.on('warning', onWarning)
    const controller = new AbortController()
    const { start } = harness((request) => {
      request.signal.addEventListener('abort', () => {})
      return { hang: true }
    })
    const runs = Array.from({ length: 200 }, () => start({ signal: controller.signal }))
    controller.abort()
    await Promise.all(runs.map((run) => run.dispose()))
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', onWarning)
    expect(warnings).toEqual([])
  })

  it('R15: aborting it cancels every run that shares it, in one tick, and starting again on it adds a listener anew', async () => {
    const { controller, added } = watched()
    const { provider, start } = harness({ hang: true })
    const runs = [start({ signal: controller.signal }), start({ signal: controller.signal })]
    controller.abort(new Error('that will do'))
    expect(provider.children.map(({ cancels }) => cancels)).toEqual([['that will do'], ['that will do']])
    expect(provider.children.map(({ context }) => (context.signal.reason as Error).message)).toEqual(['that will do', 'that will do'])
    for (const run of runs) expect((await run.result).stopReason).toBe('aborted')
    expect(added()).toBe(1)
  })

  it('S12: aborted already, the child is never started: a pair of events with the run id, aborted, nothing', async () => {
    const { provider, start, events } = harness('never')
    const run = start({ id: 'r1', signal: AbortSignal.abort() })
    expect(provider.children).toEqual([])
    expect(events.map((event) => ({ ...event }))).toEqual([
      { type: 'subagent/start', provider: 'scripted', id: 'r1', runId: 'r1' },
      { type: 'subagent/end', provider: 'scripted', id: 'r1', runId: 'r1', stopReason: 'aborted', lastAssistantMessage: [], durationMs: 0 },
    ])
    expect(await run.result).toEqual({ output: [], stopReason: 'aborted' })
    await run.dispose()
  })

  it("V3: the child's signal links cancel, deadline, close and the caller's own", async () => {
    const causes: ((
      parts: ReturnType<typeof harness> & { run: ReturnType<ReturnType<typeof harness>['start']>; controller: AbortController },
    ) => void)[] = [
      ({ run }) => run.cancel(),
      ({ clock }) => clock.advance(1000),
      ({ service }) => void service.close(),
      ({ controller }) => controller.abort(),
      ({ run }) => void run.dispose(),
      ({ service }) => service.ref.send({ type: 'run.cancel', runId: 'r1' }),
    ]
    for (const cause of causes) {
      const controller = new AbortController()
      const parts = harness({ hang: true })
      const run = parts.start({ id: 'r1', signal: controller.signal, timeoutMs: 1000 })
      const { request, context } = parts.provider.children[0]!
      expect(request.signal).toBe(context.signal)
      expect(request.signal.aborted).toBe(false)
      cause({ ...parts, run, controller })
      expect(request.signal.aborted).toBe(true)
      await run.result
    }
  })
})
