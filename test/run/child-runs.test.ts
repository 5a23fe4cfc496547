import { createActor, fromCallback } from 'xstate'
import { describe, expect, it } from 'vitest'
import { rootAgent } from '../../src/parent.ts'
import type { SubagentRun } from '../../src/types.ts'
import { harness, promises, stateOf, text } from './harness.ts'

/** A parent run whose child agent `agent-0` has started `count` runs of its own, each of which goes on by hand. */
function family(count = 2, parentScript: object = { deaf: true }, childScript: object = {}) {
  const parts = harness((_request, _context, index) => ({
    hang: true,
    id: `agent-${index}`,
    ...(index === 0 ? parentScript : childScript),
  }))
  const top = parts.start({ id: 'top' })
  const below = rootAgent({ id: 'agent-0', depth: 1 })
  const children: SubagentRun[] = []
  for (let n = 1; n <= count; n++) children.push(parts.start({ id: `child-${n}`, parent: below }))
  const ends: string[] = []
  parts.service.on('subagent/end', ({ runId, stopReason }) => void ends.push(`${runId} ${stopReason}`))
  return { ...parts, top, children, ends }
}

describe('a run whose child has runs of its own', () => {
  it('S22: cancels them and waits for their ends before it settles', async () => {
    const { provider, top, ends } = family(2, {}, { deaf: true })
    provider.children[0]!.settle({ output: [text('done')] })
    await promises()
    expect(provider.children.slice(1).map(({ cancels }) => cancels)).toEqual([['its parent has ended'], ['its parent has ended']])
    expect(stateOf(top)).toEqual({ running: 'active' })
    provider.children[1]!.settle()
    await promises()
    expect(ends).toEqual(['child-1 aborted'])
    provider.children[2]!.settle()
    await promises()
    expect(ends).toEqual(['child-1 aborted', 'child-2 aborted', 'top completed'])
    expect((await top.result).output).toEqual([text('done')])
  })

  it("S22: the children's graces bound the wait", async () => {
    const { provider, clock, ends } = family(2, {}, { deaf: true })
    provider.children[0]!.settle()
    await promises()
    clock.advance(4999)
    expect(ends).toEqual([])
    clock.advance(1)
    await promises()
    expect(ends).toEqual(['child-1 aborted', 'child-2 aborted', 'top completed'])
  })

  it("S22: a cancel reaches them at once, and an end never comes after its parent's", async () => {
    const { provider, top, clock, ends } = family(2, { deaf: true }, { deaf: true })
    top.cancel('enough')
    expect(provider.children.map(({ cancels }) => cancels)).toEqual([['enough'], ['enough'], ['enough']])
    clock.advance(5000)
    await promises()
    expect(ends).toEqual(['child-1 aborted', 'child-2 aborted', 'top aborted'])
  })

  it('S22: what is open below a parent that is given up is given up before it', async () => {
    const parts = harness((_request, _context, index) => ({ hang: true, deaf: true, id: `agent-${index}` }))
    const top = parts.start({ id: 'top', cancelGraceMs: 10 })
    parts.start({ id: 'patient', parent: rootAgent({ id: 'agent-0', depth: 1 }), cancelGraceMs: 60_000 })
    parts.start({ id: 'deeper', parent: rootAgent({ id: 'agent-1', depth: 2 }), cancelGraceMs: 60_000 })
    const ends: string[] = []
    parts.service.on('subagent/end', ({ runId }) => void ends.push(runId))
    top.cancel()
    parts.clock.advance(10)
    expect(ends).toEqual(['deeper', 'patient', 'top'])
  })

  it('S22: a cancel that comes while it waits for them decides', async () => {
    const { provider, top } = family(1, {}, { deaf: true })
    provider.children[0]!.settle({ output: [text('done')] })
    await promises()
    top.cancel()
    provider.children[1]!.settle()
    await promises()
    expect(await top.result).toEqual({ output: [text('done')], stopReason: 'aborted' })
  })

  it('S22: a promise that fails waits for them too', async () => {
    const { provider, top, ends } = family(1, {}, { deaf: true })
    provider.children[0]!.reject(new Error('the line broke'))
    await promises()
    expect(ends).toEqual([])
    provider.children[1]!.settle()
    await expect(top.result).rejects.toThrow('the line broke')
    expect(ends).toEqual(['child-1 aborted', 'top error'])
  })

  it('S22: its release disposes them', async () => {
    const { provider, top, children, service } = family(2, {}, {})
    provider.children[0]!.settle()
    await top.result
    await top.dispose()
    await promises()
    expect(provider.children.map(({ disposals }) => disposals)).toEqual([1, 1, 1])
    expect(children.map(stateOf)).toEqual(['disposed', 'disposed'])
    expect((service.ref.getPersistedSnapshot() as any).runs).toEqual({})
  })
})

describe('a parent that is an actor', () => {
  it('S22: takes its live runs along when it stops, and is watched once', async () => {
    const ref = createActor(fromCallback(() => {})).start()
    const { provider, start, service } = harness({ hang: true })
    const parent = { ...rootAgent({ id: 'agent' }), ref }
    const runs = [start({ parent }), start({ parent })]
    expect((ref as any).observers.size).toBe(1)
    ref.stop()
    expect(provider.children.map(({ cancels }) => cancels)).toEqual([['its parent was disposed'], ['its parent was disposed']])
    await Promise.all(runs.map(({ result }) => result))
    await promises()
    expect(runs.map(stateOf)).toEqual(['disposed', 'disposed'])
    expect((service.ref.getPersistedSnapshot() as any).runs).toEqual({})
  })

  it('S22: is left alone again with the last of its runs', async () => {
    const ref = createActor(fromCallback(() => {})).start()
    const { start } = harness('done')
    const parent = { ...rootAgent({ id: 'agent' }), ref }
    const runs = [start({ parent }), start({ parent })]
    await Promise.all(runs.map((run) => run.dispose()))
    expect((ref as any).observers.size).toBe(0)
    ref.stop()
  })
})
