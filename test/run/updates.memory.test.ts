import { describe, expect, it } from 'vitest'
import { StreamedText, streamedCharacters } from '../../src/run/streamed-text.ts'
import { UpdateLog, updateBufferCharacters } from '../../src/run/updates.ts'
import { createSimulatedClock } from '../../src/testing/simulated-clock.ts'
import type { SubagentUpdateContent } from '../../src/types.ts'

const megabyte = 1024 * 1024
const count = 40
const open = (): UpdateLog => {
  const log = new UpdateLog('run', createSimulatedClock(), () => {})
  log.open()
  return log
}
const held = async (log: UpdateLog): Promise<number[]> => {
  const seqs: number[] = []
  log.close()
  for await (const { seq } of log.read()) seqs.push(seq)
  return seqs
}

describe('updates that are large', () => {
  const kinds: { readonly [kind: string]: () => SubagentUpdateContent } = {
    text: () => ({ type: 'text', text: 'A'.repeat(megabyte) }),
    raw: () => ({ type: 'raw', raw: { content: { data: ['A'.repeat(megabyte)] } } }),
    'tool-call': () => ({ type: 'tool-call', toolCallId: 't', name: 'n', input: { data: 'A'.repeat(megabyte) } }),
  }
  for (const [kind, make] of Object.entries(kinds))
    it(`R16: what is kept of ${kind} for later readers is bounded by its size, the oldest dropped and counted`, async () => {
      const log = open()
      for (let n = 0; n < count; n++) log.push(make())
      const seqs = await held(log)
      expect(seqs.length + log.dropped).toBe(count)
      expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, index) => log.dropped + index))
      expect(seqs.length).toBe(updateBufferCharacters / megabyte - 1)
    })

  it('R16: one update over the whole size is delivered and kept', async () => {
    const delivered: number[] = []
    const log = new UpdateLog('run', createSimulatedClock(), ({ seq }) => void delivered.push(seq))
    log.open()
    log.push({ type: 'text', text: 'a' })
    log.push({ type: 'text', text: 'A'.repeat(3 * updateBufferCharacters) })
    expect([delivered, await held(log), log.dropped]).toEqual([[0, 1], [1], 1])
  })

  it('R13: of streamed text without end the end is kept, cut at a code point, and the rest is counted', () => {
    const text = new StreamedText()
    for (let n = 0; n < 20; n++) text.add('A'.repeat(megabyte), `m${n}`)
    const length = (): number => text.blocks().reduce((sum, block) => sum + (block.type === 'text' ? block.text.length : 0), 0)
    expect(length()).toBeLessThan(2 * streamedCharacters)
    expect(length() + text.dropped).toBe(20 * megabyte)
    const one = new StreamedText()
    one.add('😀'.repeat(streamedCharacters))
    const [block] = one.blocks() as { text: string }[]
    expect(block!.text.length + one.dropped).toBe(2 * streamedCharacters)
    expect(block!.text.length).toBeLessThanOrEqual(streamedCharacters)
    expect(block!.text.startsWith('😀')).toBe(true)
  })
})
