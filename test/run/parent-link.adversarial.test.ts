import { describe, expect, it } from 'vitest'
import { createActor, fromCallback } from 'xstate'
import { rootAgent } from '../../src/parent.ts'
import type { ParentAgent } from '../../src/types.ts'
import { harness, promises, stateOf, typesOf } from './harness.ts'

/** A parent whose subscriptions are counted, and that ends when it is told. */
function actor() {
  const observers = new Set<{ complete(): void; error(): void }>()
  const ref = {
    subscribe: (observer: { complete(): void; error(): void }) => {
      observers.add(observer)
      return { unsubscribe: () => void observers.delete(observer) }
    },
  }
  const end = (how: 'complete' | 'error'): void => {
    for (const observer of Array.from(observers)) observer[how]()
  }
  return { parent: { ...rootAgent({ id: 'actor' }), ref } as ParentAgent, observers, end }
}

describe('parents that end at a bad time', () => {
  it.each(['complete', 'error'] as const)(
    'S22: one that ends (%s) twice, and again when its runs are over, cancels each once',
    async (how) => {
      const { parent, observers, end } = actor()
      const { start, provider, events } = harness({ hang: true })
      const runs = [start({ parent }), start({ parent })]
      expect(observers.size).toBe(1)
      end(how)
      end(how)
      await promises()
      end(how)
      expect(runs.map(stateOf)).toEqual(['disposed', 'disposed'])
      expect(provider.children.map(({ cancels, disposals }) => [cancels, disposals])).toEqual([
        [['its parent was disposed'], 1],
        [['its parent was disposed'], 1],
      ])
      expect(typesOf(events).filter((type) => type === 'subagent/end')).toHaveLength(2)
    },
  )

  it('S22: one that ends while a child of it is being started takes that run along', async () => {
    const { parent, end } = actor()
    const { start, provider, events } = harness(() => {
      end('complete')
      return { hang: true }
    })
    const run = start({ parent })
    expect((await run.result).stopReason).toBe('aborted')
    await run.dispose()
    expect([provider.children[0]!.disposals, typesOf(events)]).toEqual([1, ['subagent/start', 'subagent/end']])
  })

  it('S22: one that ends inside the end of one run takes the others along, and what is started below it in that event', async () => {
    const { parent, observers, end } = actor()
    const { start, service, provider } = harness({ hang: true })
    const runs = [start({ parent }), start({ parent })]
    service.on('subagent/end', ({ runId }) => {
      if (runId !== runs[0]!.runId) return
      runs.push(start({ parent }))
      end('complete')
    })
    provider.children[0]!.settle()
    await promises()
    expect(runs.map(stateOf)).toEqual(['disposed', 'disposed', 'disposed'])
    for (const each of runs) await each.dispose()
    end('complete')
    expect(observers.size).toBe(1)
  })

  it('S22: an actor that is stopped inside an action of the run that watches it stops nothing else', async () => {
    const ref = createActor(fromCallback(() => {})).start()
    const { start, service } = harness({ hang: true })
    const mine = start({ parent: { ...rootAgent({ id: 'mine' }), ref } as ParentAgent })
    const other = start()
    service.on('subagent/end', () => void ref.stop())
    mine.cancel()
    await promises()
    expect([stateOf(mine), stateOf(other)]).toEqual(['disposed', { running: 'active' }])
  })
})
