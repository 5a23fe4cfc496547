import { describe, expect, expectTypeOf, it } from 'vitest'
import { createSubagentService, defineProvider, rootAgent } from '../../src/index.ts'
import type { ProviderStartRequest, RunContext, SubagentUpdate, SubagentUpdateContent } from '../../src/index.ts'
import type { DefineProviderOptions } from '../../src/providers/index.ts'
import { createSimulatedClock, describeProvider } from '../../src/testing/index.ts'
import { collectLogger, textOf, until } from './collect.ts'
import { generatorSubject } from './generator-subject.ts'

await describeProvider('defineProvider with a generator', generatorSubject, {
  skip: {
    R11: 'what is released is the generator, and that has ended when the run has settled',
    R18: 'the generator is ready when start() has returned',
    S13: 'the generator is made once start() has returned, so what it throws rejects result',
  },
})

const parent = rootAgent()

function setUp(run: DefineProviderOptions['run'], options: { clock?: ReturnType<typeof createSimulatedClock> } = {}) {
  const logger = collectLogger()
  const service = createSubagentService({ providers: [defineProvider({ name: 'generator', run })], logger, ...options })
  return { service, logger, start: () => service.start('generator', { parent, prompt: 'work' }) }
}

const bare = (update: SubagentUpdate): SubagentUpdateContent => {
  const { runId: _, seq: __, at: ___, ...content } = update
  return content as SubagentUpdateContent
}

describe('what a generator yields', () => {
  it('P16: updates come as they are, a string as the next part of the text; without an answer the output is that text, a block a message', async () => {
    const { start, service } = setUp(async function* () {
      yield 'two '
      yield { type: 'thought', text: 'hm' }
      yield 'parts'
      yield ''
      yield { type: 'text', text: 'another', messageId: 'b' }
    })
    const run = start()
    const seen: SubagentUpdateContent[] = []
    for await (const update of run.updates) seen.push(bare(update))
    expect(seen).toEqual([
      { type: 'text', text: 'two ' },
      { type: 'thought', text: 'hm' },
      { type: 'text', text: 'parts' },
      { type: 'text', text: '' },
      { type: 'text', text: 'another', messageId: 'b' },
    ])
    expect(await run.result).toEqual({
      output: [
        { type: 'text', text: 'two parts' },
        { type: 'text', text: 'another' },
      ],
      stopReason: 'completed',
    })
    await service.close()
  })

  it.each([
    ['a string', () => 'the answer', { output: [{ type: 'text', text: 'the answer' }], stopReason: 'completed' }],
    [
      'a result',
      () => ({ output: [], stopReason: 'refusal' as const, diagnostic: 'no' }),
      { output: [], stopReason: 'refusal', diagnostic: 'no' },
    ],
  ])('P16: %s that it returns is the answer, in place of what it yielded', async (_, answer, expected) => {
    const { start, service } = setUp(async function* () {
      yield { type: 'thought', text: 'hm' }
      return answer()
    })
    expect(await start().result).toEqual(expected)
    await service.close()
  })

  it('P16: a plain generator, and an async iterable that a function gives, are followed as well', async () => {
    const plain = setUp(function* () {
      yield 'one '
      yield 'two'
    })
    expect(textOf(await plain.start().result)).toBe('one two')
    const given = setUp(async () => new Response('from a stream').body!.pipeThrough(new TextDecoderStream()))
    expect(textOf(await given.start().result)).toBe('from a stream')
    await Promise.all([plain.service.close(), given.service.close()])
  })

  it('P16: what is no update is dropped, with one warning', async () => {
    const hostile = {
      get type(): never {
        throw new Error('no')
      },
    }
    const { start, logger, service } = setUp(async function* () {
      for (const odd of [5, null, {}, hostile, { type: 'text' }]) yield odd as never
      yield 'text'
    })
    expect(await start().result).toEqual({ output: [{ type: 'text', text: 'text' }], stopReason: 'completed' })
    expect(logger.warnings).toEqual([expect.stringContaining('something that is not an update')])
    await service.close()
  })

  it('P16, R12: what it throws rejects the result, untouched', async () => {
    const fault = new Error('no such table')
    const { start, service } = setUp(async function* () {
      yield 'half'
      throw fault
    })
    await expect(start().result).rejects.toBe(fault)
    await service.close()
  })

  it('P16: the types tell a yield from an answer', () => {
    expectTypeOf<DefineProviderOptions['run']>().parameters.toEqualTypeOf<[ProviderStartRequest, RunContext]>()
    defineProvider({
      name: 'typed',
      // @ts-expect-error a number is no update
      async *run() {
        yield 5
      },
    })
    defineProvider({
      name: 'typed',
      // @ts-expect-error a number is no answer
      async *run() {
        yield 'text'
        return 5
      },
    })
    // @ts-expect-error nor is nothing, where nothing was yielded
    defineProvider({ name: 'typed', run: async () => {} })
  })
})

describe('a generator that is cancelled', () => {
  it('P16, R7: one that is between two updates is ended there, its finally block runs, and its text is kept', async () => {
    const ended: string[] = []
    const { start, service } = setUp(async function* () {
      try {
        for (;;) yield 'more '
      } finally {
        ended.push('cleaned up')
      }
    })
    const run = start()
    let parts = 0
    for await (const { type } of run.updates) {
      if (type !== 'text' || ++parts !== 3) continue
      run.cancel()
      await run.result
    }
    const result = await run.result
    expect(result.stopReason).toBe('aborted')
    expect(textOf(result)).toMatch(/^(more ){3,}$/)
    expect(ended).toEqual(['cleaned up'])
    await service.close()
  })

  it('P16, R7: one that never waits leaves others their turn, whether it is async or not', async () => {
    for (const run of [
      async function* () {
        for (;;) yield { type: 'thought', text: '.' } as const
      },
      function* () {
        for (;;) yield { type: 'thought', text: '.' } as const
      },
    ]) {
      const { start, service } = setUp(run)
      const child = start()
      setImmediate(() => child.cancel())
      expect(await child.result).toEqual({ output: [], stopReason: 'aborted' })
      await service.close()
    }
  })

  it('P16, R7: one that its signal breaks off keeps its text; what else it throws then is warned of', async () => {
    const { start, logger, service } = setUp(async function* (_, { signal }) {
      yield 'half'
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
      throw new Error('the clean-up failed')
    })
    const run = start()
    for await (const { type } of run.updates) if (type === 'text') run.cancel()
    expect(await run.result).toEqual({ output: [{ type: 'text', text: 'half' }], stopReason: 'aborted' })
    expect(logger.warnings).toEqual([expect.stringContaining('the clean-up failed')])
    await service.close()
  })

  it('P16, R7: what it returns when it is cancelled is kept beside its text', async () => {
    const { start, service } = setUp(async function* (_, { signal }) {
      yield 'half'
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
      return { output: [{ type: 'text', text: 'half, and where it stood' }], stopReason: 'aborted', usage: { outputTokens: 2 } }
    })
    const run = start()
    for await (const { type } of run.updates) if (type === 'text') run.cancel()
    expect(await run.result).toEqual({
      output: [{ type: 'text', text: 'half, and where it stood' }],
      stopReason: 'aborted',
      usage: { outputTokens: 2 },
    })
    await service.close()
  })

  it('P16, R8: one that waits for something else holds nobody: it is given up after its grace, with its text, and ends when it can', async () => {
    const clock = createSimulatedClock()
    let letGo!: () => void
    const ended: string[] = []
    const { start, service } = setUp(
      async function* () {
        try {
          yield 'half'
          await new Promise<void>((resolve) => (letGo = resolve))
          yield 'too late'
          ended.push('went on')
        } finally {
          ended.push('ended')
        }
      },
      { clock },
    )
    const run = start()
    await until(() => letGo !== undefined)
    run.cancel()
    clock.advance(5000)
    expect(await run.result).toMatchObject({
      output: [{ type: 'text', text: 'half' }],
      stopReason: 'aborted',
      failure: { code: 'DEAF' },
    })
    expect(ended).toEqual([])
    const disposed = run.dispose()
    letGo()
    await disposed
    expect([ended, run.droppedUpdates]).toEqual([['ended'], 1])
    await service.close()
  })

  it('P16, R7: an iterator that knows how to end a wait is told to at once', async () => {
    const done: string[] = []
    const waiting: ((end: IteratorResult<string, undefined>) => void)[] = []
    const { start, service } = setUp(async () => ({
      [Symbol.asyncIterator]: (): AsyncIterator<string, undefined> => ({
        next: () => new Promise((resolve) => waiting.push(resolve)),
        return: async () => {
          done.push('return')
          waiting.shift()?.({ done: true, value: undefined })
          return { done: true, value: undefined }
        },
      }),
    }))
    const run = start()
    await until(() => waiting.length === 1)
    run.cancel()
    expect(await run.result).toEqual({ output: [], stopReason: 'aborted' })
    expect(done).toEqual(['return'])
    await service.close()
  })
})
