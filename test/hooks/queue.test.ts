import { expect, it } from 'vitest'
import { HookQueue } from '../../src/hooks/queue.ts'
import { deferred } from '../../src/run/deferred.ts'

it('H4: jobs of a run are serial, those of others are let before; none begins in the turn in which it was added', async () => {
  const queue = new HookQueue(2)
  const order: string[] = []
  const job = (name: string) => async () => {
    order.push(`${name} begins`)
    await Promise.resolve()
    order.push(`${name} ends`)
  }
  queue.add('a', job('a1'))
  queue.add('a', job('a2'))
  queue.add('b', job('b1'))
  expect(order).toEqual([])
  await queue.idle()
  expect(order).toEqual(['a1 begins', 'b1 begins', 'a1 ends', 'b1 ends', 'a2 begins', 'a2 ends'])
  await queue.idle()
})

it('H7: what waits is bounded: of more than ten thousand the rest is refused, until there is room again', async () => {
  const queue = new HookQueue(1)
  const { promise, resolve } = deferred<void>()
  let ran = 0
  const taken = Array.from({ length: 10_005 }, (_, index) => queue.add(`run-${index}`, () => promise.then(() => void ran++)))
  expect(taken.filter((each) => each)).toHaveLength(10_000)
  resolve()
  await queue.idle()
  expect(ran).toBe(10_000)
  expect(queue.add('later', () => Promise.resolve())).toBe(true)
  await queue.idle()
})
