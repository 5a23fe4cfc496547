import { streamText } from 'ai'
import { expect, it } from 'vitest'
import { soleReader } from '../../src/agents/sole-reader.ts'
import type { StreamPart } from '../../src/agents/step-draft.ts'
import { scriptedModel } from '../../src/testing/scripted-model.ts'

async function typesOf(result: Parameters<typeof soleReader>[0]): Promise<string[]> {
  const next = soleReader(result)
  const types: string[] = []
  for (let part = await next(); part; part = await next()) types.push(part.type)
  return types
}

const types = ['start', 'start-step', 'text-start', 'text-delta', 'text-end', 'finish-step', 'finish']
const answer = () => streamText({ model: scriptedModel(['Here.']), prompt: 'go' })
const streamOf = <T>(...parts: readonly T[]): ReadableStream<T> =>
  new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })

it('G9: the parts of the AI SDK are read from where they come, without the half of a tee that would keep them', async () => {
  const result = answer()
  let asked = 0
  const watched = Object.defineProperty(result, 'fullStream', { get: () => void asked++ })
  expect(await typesOf(watched)).toEqual(types)
  expect(asked).toBe(0)
})

it('G9: where that is not found, all parts are in fullStream', async () => {
  expect(await typesOf({ fullStream: answer().fullStream })).toEqual(types)
})

it('G9: what is not known there is an error, and no end', async () => {
  const result = { baseStream: streamOf({ type: 'start' }), fullStream: streamOf<StreamPart>() }
  await expect(soleReader(result)()).rejects.toThrow('not known')
})
