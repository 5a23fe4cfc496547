import { describe, expect, it } from 'vitest'
import { UpdateLog, updateBufferSize } from '../../src/run/updates.ts'
import { createSimulatedClock } from '../../src/testing/simulated-clock.ts'
import type { SubagentUpdate } from '../../src/types.ts'
import { harness, promises } from './harness.ts'

const text = (value: string) => ({ type: 'text', text: value }) as const

describe('updates under bad conditions', () => {
  it('R16: what is pushed, opened and closed inside a delivery keeps its order, and nothing comes after the close', () => {
    const delivered: number[] = []
    const log: UpdateLog = new UpdateLog('run', createSimulatedClock(), ({ seq }) => {
      delivered.push(seq)
      if (seq === 0) {
        log.push(text('from inside'))
        log.open()
      }
      if (seq === 2) {
        log.close()
        log.push(text('too late'))
        log.close()
      }
    })
    log.push(text('a'))
    log.open()
    log.push(text('b'))
    log.push(text('c'))
    expect([delivered, log.dropped]).toEqual([[0, 1, 2], 2])
    expect(log.partialOutput()).toEqual([{ type: 'text', text: 'afrom insideb' }])
  })

  it('R16: more than the buffer before it is opened: the oldest are dropped and counted, the order of the rest is kept', () => {
    const delivered: number[] = []
    const log = new UpdateLog('run', createSimulatedClock(), ({ seq }) => void delivered.push(seq))
    const count = 3 * updateBufferSize
    for (let n = 0; n < count; n++) log.push(text('x'))
    log.open()
    expect(delivered.length + log.dropped).toBe(count)
    expect(delivered).toEqual(Array.from({ length: delivered.length }, (_, index) => log.dropped + index))
    expect(delivered.length).toBeGreaterThanOrEqual(updateBufferSize)
  })

  it('R16: readers that come late, leave early, or ask twice at once get one order, and all end with the run', async () => {
    const { provider, start } = harness({ hang: true })
    const run = start()
    const child = provider.children[0]!
    const [early, impatient] = [run.updates[Symbol.asyncIterator](), run.updates[Symbol.asyncIterator]()]
    const asked = [impatient.next(), impatient.next(), impatient.next()]
    child.update(text('a'))
    expect((await early.next()).value).toMatchObject({ seq: 0 })
    await early.return!()
    child.update(text('b'))
    const late: SubagentUpdate[] = []
    const reading = (async () => {
      for await (const update of run.updates) late.push(update)
    })()
    child.settle()
    await run.result
    await reading
    await promises()
    expect((await Promise.all(asked)).map(({ done, value }) => (done ? 'end' : (value as SubagentUpdate).seq))).toEqual([0, 1, 'end'])
    expect(late.map(({ seq }) => seq)).toEqual([0, 1])
    expect((await early.next()).done).toBe(true)
    expect((await run.updates[Symbol.asyncIterator]().next()).value).toMatchObject({ seq: 0 })
  })
})
