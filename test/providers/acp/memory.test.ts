import { describe, expect, it } from 'vitest'
import { EarlyUpdates } from '../../../src/providers/acp/early-updates.ts'
import { RecentIds } from '../../../src/providers/acp/recent-ids.ts'
import { Transcript } from '../../../src/providers/acp/transcript.ts'
import { setUp } from './memory-agent.ts'

const megabyte = 1024 * 1024
const image = (size = megabyte) => ({ type: 'image', mimeType: 'image/png', data: 'A'.repeat(size) }) as const

describe('what is kept of an agent that writes without end', () => {
  it('A9: images are bounded with the text, the oldest dropped and counted', () => {
    const transcript = new Transcript()
    for (let n = 0; n < 20; n++) transcript.addBlock(image())
    transcript.add('end', undefined)
    const blocks = transcript.blocks()
    expect(blocks.length).toBeLessThanOrEqual(9)
    expect(transcript.droppedBlocks).toBe(20 - (blocks.length - 1))
    expect(blocks.at(-1)).toEqual({ type: 'text', text: 'end' })
    const alone = new Transcript()
    alone.addBlock(image(9 * megabyte))
    expect([alone.blocks().length, alone.droppedBlocks]).toEqual([1, 0])
  })

  it('A9: of a last message over the limit its end is kept, cut at a code point', () => {
    const transcript = new Transcript()
    transcript.add('before', 'a')
    const length = 9 * megabyte
    transcript.add(`${'😀'.repeat(length / 2)}.`, 'b')
    const [block, ...more] = transcript.blocks() as { text: string }[]
    expect(more).toEqual([])
    expect(block!.text.startsWith('😀')).toBe(true)
    expect(block!.text.endsWith('😀.')).toBe(true)
    expect(block!.text.length).toBeGreaterThan(3 * megabyte)
    expect(block!.text.length + transcript.dropped).toBe('before'.length + length + 1)
    transcript.add('and more', 'b')
    expect((transcript.blocks()[0] as { text: string }).text.endsWith('.and more')).toBe(true)
  })

  it('A9: the diagnostic counts what was dropped: text in one chunk, images, updates from before the session', async () => {
    const { start } = setUp({
      'session/new': ({ id }, agent) => {
        for (let n = 0; n < 12; n++) agent.update({ sessionUpdate: 'agent_message_chunk', content: image() })
        agent.send({ id, result: { sessionId: 's' } })
      },
      'session/prompt': ({ id }, agent) => {
        for (let n = 0; n < 12; n++) agent.update({ sessionUpdate: 'agent_message_chunk', content: image() })
        agent.text('A'.repeat(9 * megabyte))
        agent.send({ id, result: { stopReason: 'end_turn' } })
      },
    })
    const { output, diagnostic } = await start().result
    expect(output).toMatchObject([{ type: 'text' }])
    expect(diagnostic).toMatch(/^The first \d{7} characters of its text were dropped/)
    expect(diagnostic).toContain('The first 19 of its images and other blocks were dropped')
    expect(diagnostic).toContain('5 updates from before its session was open were dropped')
  })

  it('A9: early updates and ids of tools are bounded', () => {
    const early = new EarlyUpdates()
    for (let n = 0; n < 20; n++) early.add('s', { text: 'A'.repeat(megabyte) })
    const { own, foreign } = early.take('s')
    expect([own.length, early.dropped, foreign]).toEqual([7, 13, 0])
    const ids = new RecentIds()
    for (let n = 0; n <= 10_000; n++) ids.add(`${n}`)
    expect([ids.has('0'), ids.has('1'), ids.has('10000')]).toEqual([false, true, true])
  })
})
