import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { AbortLinks } from '../../src/run/abort-link.ts'
import { harness, promises, typesOf } from './harness.ts'

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length

describe('signals under bad conditions', () => {
  it('R15: a target that leaves, comes twice or comes anew while the signal aborts is told once or not', () => {
    const links = new AbortLinks()
    const { signal } = new AbortController()
    const heard: string[] = []
    const target = (name: string, also?: () => void) => ({
      aborted: () => {
        heard.push(name)
        also?.()
      },
    })
    const b = target('b')
    const a = target('a', () => {
      links.unlink(signal, a)
      links.unlink(signal, b)
    })
    for (const each of [a, a, b]) links.link(signal, each)
    expect([listeners(signal), links.size]).toEqual([1, 1])
    signal.dispatchEvent(new Event('abort'))
    signal.dispatchEvent(new Event('abort'))
    // Whoever was linked when it aborted hears, also one that another unlinked meanwhile.
    expect([heard, listeners(signal), links.size]).toEqual([['a', 'b'], 0, 0])
    links.unlink(signal, a)
    links.link(signal, b)
    expect([listeners(signal), links.size]).toEqual([1, 1])
    links.unlink(signal, b)
    links.unlink(signal, b)
    expect([listeners(signal), links.size]).toEqual([0, 0])
  })

  it('R15, R7: an abort whose listeners start, cancel and dispose runs on the same signal leaves no listener', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const { service, start, events, provider } = harness({ hang: true })
    const runs = [start({ signal }), start({ signal }), start({ signal })]
    service.on('subagent/end', ({ runId }) => {
      if (runId !== runs[0]!.runId) return
      start({ signal })
      runs[2]!.cancel()
      void runs[1]!.dispose()
    })
    controller.abort()
    controller.abort()
    await promises()
    expect(listeners(signal)).toBe(0)
    expect(typesOf(events).filter((type) => type === 'subagent/end')).toHaveLength(4)
    // The fourth found the signal aborted: it was never started.
    expect(provider.children.map(({ cancels }) => cancels.length)).toEqual([1, 1, 1])
  })

  it('S11, R15: what cannot take its listener back is no signal, and is refused before anything exists', () => {
    const { start, events } = harness({ hang: true })
    expect(() => start({ signal: { aborted: false, addEventListener: () => {} } as never })).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST' }),
    )
    expect(events).toEqual([])
  })
})
