import { generateText } from 'ai'
import { expect, it } from 'vitest'
import { useMessageSchema } from '../../src/agents/message-schema.ts'
import { scriptedModel } from '../../src/testing/scripted-model.ts'

/** Bytes that a call of the AI SDK allocates: the median, since now and then something is collected meanwhile. */
async function garbageOf(count: number): Promise<number> {
  const model = scriptedModel(() => 'ok')
  const samples: number[] = []
  for (let round = 0; round < 40; round++) {
    const before = process.memoryUsage().heapUsed
    for (let n = 0; n < count; n++) await generateText({ model, prompt: 'go' })
    samples.push((process.memoryUsage().heapUsed - before) / count)
  }
  return samples.slice(20).sort((a, b) => a - b)[10]!
}

it('version 6 of the AI SDK checks a conversation at less than two thirds of the garbage once its schema has been used', async () => {
  const before = await garbageOf(5)
  useMessageSchema()
  expect(await garbageOf(5)).toBeLessThan((before * 2) / 3)
})
