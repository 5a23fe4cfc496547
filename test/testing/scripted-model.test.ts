import { APICallError, generateText, stepCountIs, streamText, tool } from 'ai'
import { SimulatedClock } from 'xstate'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { scriptedModel } from '../../src/testing/scripted-model.ts'
import type { ScriptedStep } from '../../src/testing/scripted-model.ts'

const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hello there' }] }]
const usage = (input: number, output: number, reasoning = 0) => ({
  inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: output, text: output - reasoning, reasoning },
})

async function partsOf(step: ScriptedStep): Promise<unknown[]> {
  const { stream } = await scriptedModel([step]).doStream({ prompt })
  const parts: unknown[] = []
  for await (const part of stream as unknown as AsyncIterable<unknown>) parts.push(part)
  return parts
}

async function caught(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('It should have been refused.')
}

describe('scriptedModel', () => {
  it('K4: replies with a text, in one delta or in the given ones', async () => {
    expect(await partsOf('hi')).toEqual(await partsOf({ text: 'hi' }))
    expect(await partsOf({ text: ['one ', 'two'] })).toEqual([
      { type: 'stream-start', warnings: [] },
      { type: 'text-start', id: 'text-0' },
      { type: 'text-delta', id: 'text-0', delta: 'one ' },
      { type: 'text-delta', id: 'text-0', delta: 'two' },
      { type: 'text-end', id: 'text-0' },
      { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: usage(3, 2) },
    ])
  })

  it('K4: reasons, speaks and calls several tools in one step', async () => {
    const parts = await partsOf({
      reasoning: 'hmm',
      text: 'ok',
      tools: [
        { name: 'a', input: { x: 1 } },
        { name: 'b', id: 'own' },
        { name: 'c', rawInput: '{' },
      ],
    })
    expect(parts.slice(1)).toEqual([
      { type: 'reasoning-start', id: 'reasoning-0' },
      { type: 'reasoning-delta', id: 'reasoning-0', delta: 'hmm' },
      { type: 'reasoning-end', id: 'reasoning-0' },
      { type: 'text-start', id: 'text-0' },
      { type: 'text-delta', id: 'text-0', delta: 'ok' },
      { type: 'text-end', id: 'text-0' },
      { type: 'tool-call', toolCallId: 'call-0-0', toolName: 'a', input: '{"x":1}' },
      { type: 'tool-call', toolCallId: 'own', toolName: 'b', input: '{}' },
      { type: 'tool-call', toolCallId: 'call-0-2', toolName: 'c', input: '{' },
      { type: 'finish', finishReason: { unified: 'tool-calls', raw: 'tool-calls' }, usage: usage(3, 4, 1) },
    ])
  })

  it('K4: refuses, is cut off, and gives the usage and finish reason that the step names', async () => {
    const finishOf = async (step: ScriptedStep) => ((await partsOf(step)).at(-1) as { finishReason: unknown }).finishReason
    expect(await finishOf({ text: 'no', finish: 'content-filter' })).toEqual({ unified: 'content-filter', raw: 'content-filter' })
    expect(await finishOf({ text: 'half', finish: 'length', rawFinish: 'max_tokens' })).toEqual({ unified: 'length', raw: 'max_tokens' })
    expect(
      ((await partsOf({ text: 'x', usage: { inputTokens: 7, outputTokens: 9, reasoningTokens: 2 } })).at(-1) as { usage: unknown }).usage,
    ).toEqual(usage(7, 9, 2))
  })

  it('K4: doGenerate gives the same step as one result', async () => {
    const model = scriptedModel([{ reasoning: ['h', 'm'], text: ['a', 'b'], tools: [{ name: 't' }] }])
    expect(await model.doGenerate({ prompt })).toEqual({
      content: [
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'ab' },
        { type: 'tool-call', toolCallId: 'call-0-0', toolName: 't', input: '{}' },
      ],
      finishReason: { unified: 'tool-calls', raw: 'tool-calls' },
      usage: usage(3, 2, 1),
      warnings: [],
    })
    expect(model.calls.map(({ kind }) => kind)).toEqual(['generate'])
  })

  it('K4: works under generateText with tools, records its calls, and a step may be a function of the call', async () => {
    const add = tool({ inputSchema: z.object({ x: z.number() }), execute: async ({ x }) => x + 1 })
    const model = scriptedModel([
      { tools: [{ name: 'add', input: { x: 1 } }] },
      async ({ prompt: seen, index }) => `${index}: ${JSON.stringify(seen.at(-1)!.content).includes('2')}`,
    ])
    const { text } = await generateText({ model, tools: { add }, prompt: 'go', stopWhen: stepCountIs(3) })
    expect(text).toBe('1: true')
    expect(model.calls.map(({ index, lastUserText, tools }) => ({ index, lastUserText, tools }))).toEqual([
      { index: 0, lastUserText: 'go', tools: ['add'] },
      { index: 1, lastUserText: 'go', tools: ['add'] },
    ])
  })

  it('K4: throws when the script runs out, naming the call and what it was asked', async () => {
    const model = scriptedModel(['only'])
    await model.doGenerate({ prompt })
    const message =
      'scriptedModel: the script has 1 step, and this is call 2, after "hello there". Add a step, or find out why the model is called again.'
    expect(await caught(model.doGenerate({ prompt }))).toMatchObject({ message })
    expect(await caught(scriptedModel([]).doStream({ prompt }))).toMatchObject({
      message: expect.stringContaining('has 0 steps, and this is call 1'),
    })
  })

  it('K4: one function in place of a script answers every call', async () => {
    const model = scriptedModel(({ index }) => `answer ${index}`)
    for (const index of [0, 1, 2]) expect((await model.doGenerate({ prompt })).content).toEqual([{ type: 'text', text: `answer ${index}` }])
  })

  it('K4: fails as an API does, and the AI SDK retries what is retryable without a wait', async () => {
    const failed = await caught(scriptedModel([{ error: { message: 'bad', status: 400 } }]).doStream({ prompt }))
    expect(APICallError.isInstance(failed)).toBe(true)
    expect(failed).toMatchObject({ message: 'bad', statusCode: 400, isRetryable: false })
    expect(await caught(scriptedModel([{ error: 'gone' }]).doStream({ prompt }))).toMatchObject({
      statusCode: undefined,
      isRetryable: true,
    })
    const model = scriptedModel([{ error: { message: 'busy', status: 529 } }, { error: { message: 'busy', status: 429 } }, 'at last'])
    expect((await generateText({ model, prompt: 'x' })).text).toBe('at last')
    expect(model.calls.length).toBe(3)
  })

  it('K4: breaks off after some text where the step has both', async () => {
    const { stream } = await scriptedModel([{ text: 'so far', error: 'broken' }]).doStream({ prompt })
    const seen: string[] = []
    const failed = await caught(
      (async () => {
        for await (const part of stream as unknown as AsyncIterable<{ type: string }>) seen.push(part.type)
      })(),
    )
    expect(seen).toEqual(['stream-start', 'text-start', 'text-delta', 'text-end'])
    expect(failed).toMatchObject({ message: 'broken' })
  })

  it('K4: delays on the injected clock, before the answer and before each delta', async () => {
    const clock = new SimulatedClock()
    const model = scriptedModel([{ delayMs: 100, chunkDelayMs: 10, text: ['a', 'b'] }], { clock })
    const seen: string[] = []
    const done = (async () => {
      const { stream } = await model.doStream({ prompt })
      for await (const part of stream as unknown as AsyncIterable<{ type: string }>) seen.push(part.type)
    })()
    const at = async (ms: number) => {
      clock.increment(ms)
      await new Promise((resolve) => setImmediate(resolve))
      return seen.length
    }
    expect([await at(99), await at(1), await at(9), await at(1), await at(10)]).toEqual([0, 2, 2, 3, 6])
    await done
  })

  it('K4: a hanging step ends when its signal aborts, before or after some text; a deaf one does not', async () => {
    for (const text of [undefined, 'so far']) {
      const abort = new AbortController()
      const result = streamText({
        model: scriptedModel([{ ...(text !== undefined && { text }), hang: true }]),
        prompt: 'x',
        abortSignal: abort.signal,
      })
      const types: string[] = []
      for await (const part of result.fullStream) {
        types.push(part.type)
        if (part.type === 'text-end' || (text === undefined && part.type === 'start')) abort.abort()
      }
      expect(types.at(-1)).toBe('abort')
    }
    const abort = new AbortController()
    const { stream } = await scriptedModel([{ hang: true, deaf: true }]).doStream({ prompt, abortSignal: abort.signal })
    abort.abort()
    const reader = stream.getReader()
    await reader.read()
    const outcome = await Promise.race([reader.read(), new Promise((resolve) => setImmediate(() => resolve('still hanging')))])
    expect(outcome).toBe('still hanging')
  })

  it('K4: a call whose signal has aborted already, or aborts in a delay, is refused with an AbortError', async () => {
    expect(await caught(scriptedModel(['x']).doStream({ prompt, abortSignal: AbortSignal.abort() }))).toMatchObject({ name: 'AbortError' })
    const abort = new AbortController()
    const failed = caught(
      scriptedModel([{ delayMs: 10, text: 'x' }], { clock: new SimulatedClock() }).doStream({ prompt, abortSignal: abort.signal }),
    )
    await new Promise((resolve) => setImmediate(resolve))
    abort.abort()
    expect(await failed).toMatchObject({ name: 'AbortError' })
  })

  it('K4: a test decides when the next delta comes, and an abort ends the wait for it', async () => {
    const abort = new AbortController()
    async function* deltas() {
      yield 'first'
      await new Promise(() => {})
    }
    const { stream } = await scriptedModel([{ text: deltas() }]).doStream({ prompt, abortSignal: abort.signal })
    const reader = stream.getReader()
    for (const type of ['stream-start', 'text-start', 'text-delta']) expect((await reader.read()).value).toMatchObject({ type })
    const next = caught(reader.read())
    abort.abort()
    expect(await next).toMatchObject({ name: 'AbortError' })
  })
})
