import { describe, expect, it } from 'vitest'
import { rootAgent } from '../../src/parent.ts'
import { harness, promises, stateOf, text } from './harness.ts'

const unprintable = {
  toString() {
    throw new Error('no words')
  },
}

describe('odd values from outside', () => {
  it.each([
    ['a symbol', Symbol('x')],
    ['an object without a prototype', Object.create(null)],
    ['one whose toString throws', unprintable],
    ['an error', new Error('why')],
    ['null', null],
  ])('R7: cancel(%s) is a cancel', async (_, reason) => {
    const { provider, start, service } = harness({ hang: true })
    const run = start()
    void provider.children[0]!.context.signal
    run.cancel(reason as never)
    expect((await run.result).stopReason).toBe('aborted')
    expect(typeof provider.children[0]!.cancels[0]).toBe('string')
    await run.dispose()
    await service.close()
  })

  it.each([{}, { type: 5 }])('R12, S25: an event that has no type moves nothing, and the run goes on: %j', async (event) => {
    const { start } = harness({ hang: true })
    const run = start()
    run.ref.send(event as never)
    expect(run.ref.getSnapshot().status).toBe('active')
    run.cancel()
    expect((await run.result).stopReason).toBe('aborted')
  })

  it('R15: a reason whose message cannot be read aborts every run of its signal', async () => {
    const { provider, start } = harness({ hang: true })
    const controller = new AbortController()
    const runs = [start({ signal: controller.signal }), start({ signal: controller.signal })]
    class Unreadable extends Error {
      override get message(): string {
        throw new Error('no')
      }
    }
    controller.abort(new Unreadable())
    for (const run of runs) expect((await run.result).stopReason).toBe('aborted')
    expect(provider.children.map(({ cancels }) => cancels.length)).toEqual([1, 1])
  })

  it.each([undefined, null, 0])('R11: a release that fails with %s failed, and did not time out', async (error) => {
    const { start } = harness({ text: 'answer', release: { error } })
    const run = start()
    await expect(run.dispose()).rejects.toBe(error)
    expect(run.leaked).toBe(false)
  })

  it.each(['boom', {}, { code: 'X' }, { code: 'X', message: 'y', phase: 'lunch', retryable: false }])(
    'R12: a failure that is none makes the answer INVALID_RESULT: %j',
    async (failure) => {
      const { provider, start } = harness({ hang: true })
      const run = start()
      provider.children[0]!.settle({ stopReason: 'error', failure: failure as never })
      await expect(run.result).rejects.toThrow(/failure/)
    },
  )

  it('R16: what a listener does to an update, nobody else sees; what the provider does to it later neither', async () => {
    const { provider, service, start } = harness({ hang: true })
    const input = { path: 'a.ts' }
    const heard: unknown[] = []
    service.on('subagent/update', ({ update }) => {
      ;(update as { input?: unknown }).input = 'changed'
    })
    service.on('subagent/update', ({ update }) => void heard.push('input' in update && update.input))
    const run = start()
    provider.children[0]!.update({ type: 'tool-call', toolCallId: 't', name: 'read', input })
    input.path = 'b.ts'
    provider.children[0]!.settle()
    await run.result
    for await (const update of run.updates) heard.push('input' in update && update.input)
    expect(heard).toEqual([{ path: 'a.ts' }, { path: 'a.ts' }])
  })

  it('R16: a text update without text is dropped and counted, and is no part of the output', async () => {
    const { provider, start } = harness({ hang: true })
    const run = start()
    provider.children[0]!.update({ type: 'text' } as never)
    provider.children[0]!.update({ type: 'text', text: 'said' })
    run.cancel()
    expect((await run.result).output).toEqual([text('said')])
    expect(run.droppedUpdates).toBe(1)
  })
})

describe('names that meet', () => {
  it('S21, P15: a run named as its own parent makes nobody its child', async () => {
    const { start } = harness({ hang: true }, { service: { maxConcurrentRuns: 1 } })
    const parent = rootAgent({ id: 'job-1' })
    const first = start({ parent, id: 'job-1' })
    const second = start({ parent })
    expect([first, second].map(stateOf)).toEqual([{ running: 'active' }, { validating: 'queued' }])
    first.cancel()
    await promises()
    expect(stateOf(second)).toEqual({ running: 'active' })
  })
})

describe('deep trees', () => {
  /** Runs each of which is the child of the one before. */
  function chain(depth: number, script: object) {
    const parts = harness((_request, _context, index) => ({ hang: true, id: `agent-${index}`, ...script }))
    const runs = Array.from({ length: depth }, (_, n) =>
      parts.start({ id: `run-${n}`, parent: rootAgent(n === 0 ? {} : { id: `agent-${n - 1}`, depth: n }) }),
    )
    return { ...parts, runs }
  }

  it('R7, S22: a cancel at the root of a very deep chain reaches its end, and every run settles', async () => {
    const { runs, provider, service } = chain(3000, {})
    runs[0]!.cancel('enough')
    expect(provider.children.every(({ cancels }) => cancels.length === 1)).toBe(true)
    const results = await Promise.all(runs.map(({ result }) => result))
    expect(new Set(results.map(({ stopReason }) => stopReason))).toEqual(new Set(['aborted']))
    await service.close()
    expect(Object.keys((service.ref.getPersistedSnapshot() as any).runs)).toEqual([])
  })

  it('R8, S22: so does the giving up, from below', async () => {
    const { runs, clock, events } = chain(3000, { deaf: true })
    runs[0]!.cancel()
    clock.advance(5000)
    await Promise.all(runs.map(({ result }) => result))
    const ends = events.flatMap((event) => (event.type === 'subagent/end' ? [event.runId] : []))
    expect(ends).toEqual(runs.map(({ runId }) => runId).toReversed())
  })

  it('S6: and closing', async () => {
    const { runs, service } = chain(3000, {})
    await service.close()
    expect(runs.every((run) => stateOf(run) === 'disposed')).toBe(true)
  })

  it('S6: and stopping the registry, where nobody is called deaf who was given no grace', async () => {
    const { runs, service } = chain(3000, { deaf: true })
    ;(service.ref as unknown as { stop(): void }).stop()
    const results = await Promise.all(runs.map(({ result }) => result))
    expect(results.every(({ stopReason, failure }) => stopReason === 'aborted' && failure === undefined)).toBe(true)
  })
})
