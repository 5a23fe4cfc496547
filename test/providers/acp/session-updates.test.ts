import { describe, expect, it } from 'vitest'
import { SessionUpdates } from '../../../src/providers/acp/session-updates.ts'

function setUp() {
  const seen: unknown[] = []
  return { seen, updates: new SessionUpdates((update) => void seen.push(update.text)) }
}

describe('the updates of a session', () => {
  it('A9: those from before the session is known are kept until it is, in their order; those of others are counted', () => {
    const { seen, updates } = setUp()
    for (const [session, text] of [
      ['own', 1],
      ['other', 2],
      ['own', 3],
    ] as const)
      updates.take(session, { text })
    expect(seen).toEqual([])
    updates.adopt('own')
    updates.take('own', { text: 4 })
    updates.take('other', { text: 5 })
    expect([seen, updates.foreign, updates.droppedEarly]).toEqual([[1, 3, 4], 2, 0])
  })

  it('A16: while a session is loaded nothing is delivered, also where loading fails; afterwards everything is', async () => {
    const { seen, updates } = setUp()
    const load = async (): Promise<never> => {
      updates.take('own', { text: 'past' })
      throw new Error('not found')
    }
    await expect(updates.whileReplaying(load)).rejects.toThrow('not found')
    updates.adopt('own')
    updates.take('own', { text: 'new' })
    expect([seen, updates.foreign]).toEqual([['new'], 0])
  })
})
