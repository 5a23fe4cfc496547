import { describe, expect, it } from 'vitest'
import type { SubagentUpdate } from '../../src/types.ts'
import { harness, promises, typesOf } from './harness.ts'

async function collect(updates: AsyncIterable<SubagentUpdate>): Promise<SubagentUpdate[]> {
  const all: SubagentUpdate[] = []
  for await (const update of updates) all.push(update)
  return all
}
const texts = (updates: readonly SubagentUpdate[]): string[] =>
  updates.map((update) => (update.type === 'text' ? update.text : update.type))

describe('updates', () => {
  it('R16: made before subagent/start are held until it was delivered, and carry seq from 0', async () => {
    const { events, start } = harness({ text: ['a', 'b'], tools: [{ name: 'look' }] })
    await start().result
    expect(typesOf(events)).toEqual([
      'subagent/start',
      'subagent/update',
      'subagent/update',
      'subagent/update',
      'subagent/update',
      'subagent/end',
    ])
    expect(events.flatMap((event) => (event.type === 'subagent/update' ? [event.update.seq] : []))).toEqual([0, 1, 2, 3])
  })

  it('R16: none comes after subagent/end; what comes is dropped and counted', async () => {
    const { events, provider, start } = harness('done')
    const run = start()
    await run.result
    const before = events.length
    provider.children[0]!.update({ type: 'text', text: 'late' })
    expect(events).toHaveLength(before)
    expect(run.droppedUpdates).toBe(1)
  })

  it('R16: each iteration starts with what the buffer holds and ends at settlement', async () => {
    const { provider, start } = harness({ hang: true })
    const run = start()
    const child = provider.children[0]!
    child.update({ type: 'text', text: 'one' })
    const early = collect(run.updates)
    child.update({ type: 'text', text: 'two' })
    await promises()
    const late = collect(run.updates)
    child.update({ type: 'text', text: 'three' })
    child.settle()
    expect(texts(await early)).toEqual(['one', 'two', 'three'])
    expect(texts(await late)).toEqual(['one', 'two', 'three'])
    expect(texts(await collect(run.updates))).toEqual(['one', 'two', 'three'])
  })

  it('R16: the buffer keeps the last 1000, the oldest are dropped and counted', async () => {
    const { provider, start } = harness({ hang: true })
    const run = start()
    for (let n = 0; n < 2500; n++) provider.children[0]!.update({ type: 'text', text: `${n} ` })
    provider.children[0]!.settle()
    await run.result
    const kept = await collect(run.updates)
    expect(kept).toHaveLength(1000)
    expect(kept[0]).toMatchObject({ seq: 1500 })
    expect(kept.at(-1)).toMatchObject({ seq: 2499 })
    expect(run.droppedUpdates).toBe(1500)
  })

  it('R16: a reader that never comes back holds nobody', async () => {
    const { provider, start } = harness({ hang: true })
    const run = start()
    const reader = run.updates[Symbol.asyncIterator]()
    provider.children[0]!.update({ type: 'text', text: 'one' })
    expect((await reader.next()).value).toMatchObject({ text: 'one' })
    await reader.return!()
    provider.children[0]!.settle()
    expect((await run.result).stopReason).toBe('completed')
  })

  it('R16: an update made inside a listener of an update comes after it, and every listener sees one order', () => {
    const { provider, service, start } = harness({ hang: true })
    const heard: string[][] = [[], []]
    service.on('subagent/update', ({ update }) => {
      heard[0]!.push(texts([update])[0]!)
      if (update.type === 'text' && update.text === 'one') provider.children[0]!.update({ type: 'text', text: 'two' })
    })
    service.on('subagent/update', ({ update }) => void heard[1]!.push(texts([update])[0]!))
    start()
    provider.children[0]!.update({ type: 'text', text: 'one' })
    expect(heard).toEqual([
      ['one', 'two'],
      ['one', 'two'],
    ])
  })

  it('R16: an update that cannot be read is dropped, counted and logged, and the run goes on', async () => {
    const { provider, start, warnings } = harness({ hang: true })
    const run = start()
    for (const bad of [null, undefined, 'text', {}, { type: 7 }]) provider.children[0]!.update(bad as never)
    expect(run.droppedUpdates).toBe(5)
    expect(warnings).toHaveLength(1)
    provider.children[0]!.settle()
    expect((await run.result).stopReason).toBe('completed')
  })

  it('R18: readiness is an update only of a provider that signals it', async () => {
    const { provider, start, events } = harness({ hang: true }, { signalsReady: true })
    const run = start()
    expect(run.ref.getSnapshot().value).toBe('starting')
    provider.children[0]!.ready()
    provider.children[0]!.ready()
    expect(run.ref.getSnapshot().value).toEqual({ running: 'active' })
    expect(events.filter((event) => event.type === 'subagent/update')).toHaveLength(1)
  })
})
