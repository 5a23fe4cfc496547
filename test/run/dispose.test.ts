import { describe, expect, it } from 'vitest'
import { SubagentError } from '../../src/errors.ts'
import { harness, promises, stateOf, text, typesOf } from './harness.ts'

describe('dispose', () => {
  it('R10: of a live run cancels it first, releases it once held, and settles aborted', async () => {
    const { provider, start, events } = harness({ hang: true, text: 'partial' })
    const run = start()
    await run.dispose()
    expect(provider.children[0]!.cancels).toEqual(['disposed'])
    expect(provider.children[0]!.disposals).toBe(1)
    expect(await run.result).toEqual({ output: [text('partial')], stopReason: 'aborted' })
    expect(typesOf(events).filter((type) => type !== 'subagent/update')).toEqual(['subagent/start', 'subagent/end'])
    expect(stateOf(run)).toBe('disposed')
  })

  it('R10: is memoised in every state, and never changes the result', async () => {
    const { start, provider } = harness('answer')
    const run = start()
    const first = run.dispose()
    expect(run.dispose()).toBe(first)
    await first
    expect(run.dispose()).toBe(first)
    expect(provider.children[0]!.disposals).toBe(1)
  })

  it('R10: after a settlement releases at once and leaves the result as it was', async () => {
    const { start, clock } = harness('answer')
    const run = start()
    const result = await run.result
    expect(stateOf(run)).toEqual({ settling: 'held' })
    await run.dispose()
    expect(await run.result).toBe(result)
    expect(run.late).toBe(0)
    expect(clock.pending).toBe(0)
  })

  it("R10: rejects when the release failed, with the provider's error untouched", async () => {
    const error = new Error('it would not let go')
    const { start, warnings } = harness({ text: 'answer', release: { error } })
    const run = start()
    await run.result
    await expect(run.dispose()).rejects.toBe(error)
    expect(stateOf(run)).toBe('disposed')
    expect(run.leaked).toBe(false)
    expect(warnings.join()).toContain('it would not let go')
    expect((await run.result).stopReason).toBe('completed')
  })

  it('R11: a release that does not end is given up after its grace, and what it still does is quarantined', async () => {
    const { clock, provider, start, warnings, service } = harness({ text: 'answer', release: 'never' })
    const run = start()
    await run.result
    const disposed = run.dispose()
    clock.advance(9999)
    await promises()
    expect(stateOf(run)).toEqual({ settling: 'releasing' })
    clock.advance(1)
    await expect(disposed).rejects.toSatisfy((error) => SubagentError.is(error, 'RELEASE_TIMEOUT'))
    expect(run.leaked).toBe(true)
    expect(stateOf(run)).toBe('disposed')
    expect(warnings).toHaveLength(1)
    provider.children[0]!.release(new Error('much later'))
    provider.children[0]!.update({ type: 'text', text: 'ghost' })
    await promises()
    expect(run.droppedUpdates).toBe(1)
    expect((service.ref.getPersistedSnapshot() as any).runs).toEqual({})
  })

  it('R11: nothing waits longer: not close()', async () => {
    const { clock, start, service, provider } = harness({ hang: true, deaf: true, release: 'never' })
    start({ cancelGraceMs: 100, releaseGraceMs: 200 })
    let closed = false
    void service.close().then(() => (closed = true))
    clock.advance(100)
    await promises()
    expect(provider.children[0]!.disposals).toBe(1)
    clock.advance(200)
    await promises()
    expect(closed).toBe(true)
    expect(clock.pending).toBe(0)
  })

  it('R17: await using disposes at the end of the block', async () => {
    const { provider, start } = harness({ hang: true })
    {
      await using run = start()
      expect(stateOf(run)).toEqual({ running: 'active' })
    }
    expect(provider.children[0]!.disposals).toBe(1)
  })

  it('R17: a settled run that nobody disposes holds no slot, and close() releases it', async () => {
    const { provider, start, service } = harness('answer', { service: { maxConcurrentRuns: 1 } })
    await start().result
    await start().result
    await service.close()
    expect(provider.children.map(({ disposals }) => disposals)).toEqual([1, 1])
  })

  it('R10: a provider whose dispose() throws counts as a release that failed', async () => {
    const { service } = harness('unused')
    service.registerProvider({
      name: 'rude',
      capabilities: { outputSchema: false, depthLimit: false, toolFilter: false },
      start: () => ({
        result: Promise.resolve({ output: [], stopReason: 'completed' }),
        cancel: () => {},
        dispose: () => {
          throw new Error('slammed the door')
        },
      }),
    })
    const run = service.start('rude', {
      parent: { id: 'p', options: {}, session: { header: { version: 1, id: 's', createdAt: 0 }, events: [] } },
      prompt: 'x',
    })
    await expect(run.dispose()).rejects.toThrow('slammed the door')
  })
})
