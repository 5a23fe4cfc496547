import { describe, expect, it } from 'vitest'
import { harness, promises, stateOf, text, typesOf } from './harness.ts'

describe('cancel', () => {
  it('R7: reaches the child at once, with its reason and its signal', async () => {
    const { provider, start } = harness({ hang: true })
    const run = start()
    const { signal } = provider.children[0]!.context
    run.cancel('no longer needed')
    expect(provider.children[0]!.cancels).toEqual(['no longer needed'])
    expect(signal.aborted).toBe(true)
    expect((signal.reason as Error).name).toBe('AbortError')
    expect((await run.result).stopReason).toBe('aborted')
  })

  it('R7: in running keeps the output that the child still gives', async () => {
    const { provider, start } = harness({ hang: true, deaf: true })
    const run = start()
    provider.children[0]!.update({ type: 'text', text: 'half' })
    run.cancel()
    provider.children[0]!.settle({ output: [text('all that I had')], stopReason: 'completed', structured: { a: 1 } })
    expect(await run.result).toEqual({ output: [text('all that I had')], stopReason: 'aborted' })
  })

  it('R7: in running keeps the streamed text where the child gives none, a block a message', async () => {
    const { provider, start } = harness({ hang: true, deaf: true })
    const run = start()
    const child = provider.children[0]!
    for (const [part, messageId] of [
      ['Hal', 'm1'],
      ['lo', 'm1'],
      ['world', 'm2'],
    ] as const)
      child.update({ type: 'text', text: part, messageId })
    run.cancel()
    child.settle({ stopReason: 'aborted' })
    expect((await run.result).output).toEqual([text('Hallo'), text('world')])
  })

  it('R7: in starting the outcome is aborted with nothing, and what becomes ready later is torn down', async () => {
    const { provider, start, events } = harness({ hang: true, deaf: true }, { signalsReady: true })
    const run = start()
    const child = provider.children[0]!
    child.update({ type: 'text', text: 'warming up' })
    run.cancel()
    child.ready()
    expect(stateOf(run)).toEqual({ settling: 'draining' })
    child.settle({ output: [text('too late')] })
    expect(await run.result).toEqual({ output: [], stopReason: 'aborted' })
    await run.dispose()
    expect(child.disposals).toBe(1)
    expect(typesOf(events).filter((type) => type !== 'subagent/update')).toEqual(
      ['subagent/provider-added', 'subagent/start', 'subagent/end'].slice(1),
    )
  })

  it('R7: a signal that aborts while provider.start is on the stack is a cancel', async () => {
    const controller = new AbortController()
    let seenInStart: boolean | undefined
    const { events, start } = harness((request) => {
      const { signal } = request
      controller.abort(new Error('changed my mind'))
      seenInStart = signal.aborted
      return { hang: true }
    })
    const run = start({ signal: controller.signal })
    expect(seenInStart).toBe(true)
    expect((await run.result).stopReason).toBe('aborted')
    expect(typesOf(events)).toEqual(['subagent/start', 'subagent/end'])
  })

  it('S13, R7: a start that throws after its signal was aborted still throws, with no event', () => {
    const controller = new AbortController()
    const { events, start, service } = harness(() => {
      controller.abort()
      throw new Error('cannot start')
    })
    expect(() => start({ signal: controller.signal })).toThrow('cannot start')
    expect(events).toEqual([])
    expect((service.ref.getPersistedSnapshot() as any).runs).toEqual({})
  })

  it('R4: the first cause decides; what comes later is counted and changes nothing', async () => {
    const { provider, start } = harness({ hang: true, deaf: true })
    const run = start()
    provider.children[0]!.settle({ output: [text('done')] })
    await promises()
    const before = run.ref.getSnapshot()
    run.cancel()
    run.cancel()
    expect(run.ref.getSnapshot()).toBe(before)
    expect(run.late).toBe(2)
    expect((await run.result).stopReason).toBe('completed')
    await run.dispose()
    run.cancel()
    expect(run.late).toBe(3)
  })

  it('R4: a deadline and an answer after a cancel are not causes any more', async () => {
    const { clock, provider, start } = harness({ hang: true, deaf: true })
    const run = start({ timeoutMs: 100, cancelGraceMs: 1000 })
    run.cancel()
    run.cancel('again')
    clock.advance(200)
    expect(stateOf(run)).toEqual({ settling: 'draining' })
    expect(run.late).toBe(1)
    provider.children[0]!.settle()
    expect((await run.result).stopReason).toBe('aborted')
    expect(provider.children[0]!.cancels).toHaveLength(1)
  })

  it('R8: a deaf child is given up after its grace: aborted, DEAF, what arrived so far; later output is counted', async () => {
    const { clock, provider, start } = harness({ hang: true, deaf: true })
    const run = start()
    const child = provider.children[0]!
    child.update({ type: 'text', text: 'so far' })
    run.cancel()
    clock.advance(4999)
    expect(stateOf(run)).toEqual({ settling: 'draining' })
    clock.advance(1)
    const result = await run.result
    expect(result).toMatchObject({
      output: [text('so far')],
      stopReason: 'aborted',
      failure: { code: 'DEAF', phase: 'settling', retryable: false },
    })
    expect(result.diagnostic).toContain('given up')
    child.update({ type: 'text', text: 'and more' })
    child.settle({ output: [text('at last')] })
    await promises()
    expect(run.droppedUpdates).toBe(1)
    expect(run.late).toBe(1)
    expect(await run.result).toBe(result)
  })

  it('R18: a throw out of cancel() is logged and the grace is armed all the same', async () => {
    const { clock, start, warnings } = harness({ hang: true, deaf: true, cancelError: new Error('no brakes') })
    const run = start()
    run.cancel()
    expect(warnings.join()).toContain('no brakes')
    clock.advance(5000)
    expect((await run.result).failure?.code).toBe('DEAF')
  })

  it('R7: is idempotent, and the promise of a child that fails on being cancelled is no fault', async () => {
    const { provider, start, warnings } = harness({ hang: true, deaf: true })
    const run = start()
    run.cancel()
    provider.children[0]!.reject(new DOMException('stopped', 'AbortError'))
    expect(await run.result).toEqual({ output: [], stopReason: 'aborted' })
    expect(warnings).toEqual([])
  })
})

describe('the deadline', () => {
  it('R9: cancels the child, gives it its grace, and the outcome is timed-out with the partial output', async () => {
    const { clock, provider, start } = harness({ hang: true, deaf: true })
    const run = start({ timeoutMs: 1000 })
    provider.children[0]!.update({ type: 'text', text: 'half' })
    clock.advance(999)
    expect(stateOf(run)).toEqual({ running: 'active' })
    clock.advance(1)
    expect(provider.children[0]!.cancels).toEqual(['deadline'])
    provider.children[0]!.settle({ stopReason: 'completed', output: [text('nearly')] })
    expect(await run.result).toEqual({ output: [text('nearly')], stopReason: 'timed-out' })
  })

  it("R9: is the service's where the request names none, and is gone with the settlement", async () => {
    const { clock, start } = harness('done', { service: { timeoutMs: 50 } })
    await start().result
    expect(clock.pending).toBe(0)
  })

  it('R9: stands still while a permission is pending, whichever question is answered first', async () => {
    const { clock, provider, start, events } = harness({ hang: true })
    const run = start({ timeoutMs: 1000 })
    clock.advance(600)
    const first = provider.children[0]!.ask()
    const second = provider.children[0]!.ask({ id: 'other', title: 'And this?', options: [] })
    expect(stateOf(run)).toEqual({ running: 'awaitingPermission' })
    clock.advance(1_000_000)
    first.answer()
    first.answer()
    expect(stateOf(run)).toEqual({ running: 'awaitingPermission' })
    second.answer()
    expect(stateOf(run)).toEqual({ running: 'active' })
    clock.advance(399)
    expect(stateOf(run)).toEqual({ running: 'active' })
    clock.advance(1)
    expect((await run.result).stopReason).toBe('timed-out')
    expect(events.filter(({ type }) => type === 'subagent/update')).toHaveLength(2)
  })

  it('R9: a question asked while starting is published at once and waited for once ready', () => {
    const { provider, start, events } = harness({ hang: true }, { signalsReady: true })
    const run = start()
    const question = provider.children[0]!.ask()
    expect(typesOf(events)).toEqual(['subagent/start', 'subagent/update'])
    provider.children[0]!.ready()
    expect(stateOf(run)).toEqual({ running: 'awaitingPermission' })
    question.answer()
    expect(stateOf(run)).toEqual({ running: 'active' })
  })
})
