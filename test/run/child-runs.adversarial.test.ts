import { describe, expect, it } from 'vitest'
import { rootAgent } from '../../src/parent.ts'
import type { SubagentRun } from '../../src/types.ts'
import { harness, promises, stateOf } from './harness.ts'

const below = (agent: number, depth = 1) => rootAgent({ id: `agent-${agent}`, depth })

/** Deaf children, the first of which is the parent of what is started with `below(0)`. */
function family(script: (index: number) => object = () => ({})) {
  const parts = harness((_request, _context, index) => ({ hang: true, deaf: true, id: `agent-${index}`, ...script(index) }))
  const ends: string[] = []
  parts.service.on(
    'subagent/end',
    ({ runId, stopReason, failure }) => void ends.push([runId, stopReason, failure?.code].filter(Boolean).join(' ')),
  )
  return { ...parts, ends, top: parts.start({ id: 'top', cancelGraceMs: 10 }) }
}

describe('runs that come while those beside them are ended', () => {
  it('S22: one that is started while another is given up with their parent ends before it too', () => {
    const { service, clock, start, top, ends } = family()
    start({ id: 'child', parent: below(0), cancelGraceMs: 60_000 })
    let more: SubagentRun | undefined
    service.on('subagent/end', ({ runId }) => {
      if (runId === 'child') more = start({ id: 'more', parent: below(0) })
    })
    top.cancel()
    clock.advance(10)
    expect(ends).toEqual(['child aborted', 'more aborted', 'top aborted DEAF'])
    expect([stateOf(more!), clock.pending]).toEqual([{ settling: 'held' }, 0])
  })

  it('S22: one that is started while their parent waits for another is cancelled and has its grace', async () => {
    const { service, provider, clock, start, ends } = family()
    start({ id: 'child', parent: below(0) })
    service.on('subagent/end', ({ runId }) => {
      if (runId === 'child') start({ id: 'more', parent: below(0) })
    })
    provider.children[0]!.settle()
    await promises()
    provider.children[1]!.settle()
    await promises()
    expect(provider.children[2]!.cancels).toEqual(['its parent has ended'])
    clock.advance(100)
    provider.children[2]!.settle()
    await promises()
    expect(ends).toEqual(['child aborted', 'more aborted', 'top completed'])
  })

  it('S22: whoever starts another at every end is not followed for ever', async () => {
    const { service, clock, provider, start, top, ends } = family()
    start({ parent: below(0), cancelGraceMs: 60_000 })
    let restarts = 0
    service.on('subagent/end', ({ runId }) => {
      if (runId !== 'top' && restarts < 1000 && ++restarts) start({ parent: below(0) })
    })
    top.cancel()
    clock.advance(10)
    expect(stateOf(top)).toEqual({ settling: 'held' })
    expect(ends.at(-1)).toBe('top aborted DEAF')
    expect(restarts).toBe(8)
    restarts = 1000
    const disposed = top.dispose()
    clock.advance(5000)
    await disposed
    await promises()
    expect([clock.pending, provider.children.map(({ disposals }) => disposals).filter((count) => count > 1)]).toEqual([0, []])
  })

  it('S22: a child run that its own cancel() ends, or whose cancel() cancels its parent, ends once and first', async () => {
    const handles: { top?: SubagentRun; child?: SubagentRun } = {}
    const parts = harness((_request, _context, index) => ({ hang: true, id: `agent-${index}` }))
    const { start, service, provider } = parts
    const ends: string[] = []
    service.on('subagent/end', ({ runId }) => void ends.push(runId))
    handles.top = start({ id: 'top' })
    handles.child = start({ id: 'child', parent: below(0) })
    provider.children[1]!.context.signal.addEventListener('abort', () => {
      handles.top!.cancel('from below')
      void handles.top!.dispose()
      void handles.child!.dispose()
    })
    handles.child.cancel('first')
    await promises()
    expect(ends).toEqual(['child', 'top'])
    expect(provider.children.map(({ cancels, disposals }) => [cancels.length, disposals])).toEqual([
      [1, 1],
      [1, 1],
    ])
  })

  it('S22, S6: children of children end from below, whoever of them is deaf', () => {
    const { clock, start, top, ends } = family()
    start({ id: 'a', parent: below(0), cancelGraceMs: 5 })
    start({ id: 'a1', parent: below(1, 2), cancelGraceMs: 60_000 })
    start({ id: 'b', parent: below(0), cancelGraceMs: 60_000 })
    top.cancel()
    clock.advance(10)
    expect(ends).toEqual(['a1 aborted', 'a aborted DEAF', 'b aborted', 'top aborted DEAF'])
  })
})
