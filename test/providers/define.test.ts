import { describe, expect, it } from 'vitest'
import { createSubagentService, defineProvider, rootAgent } from '../../src/index.ts'
import { describeProvider } from '../../src/testing/index.ts'
import { defineSubject } from './define-subject.ts'

await describeProvider('defineProvider', defineSubject, {
  skip: {
    R11: 'what is released is the function, and that has ended when the run has settled',
    R18: 'the function is ready when start() has returned',
    S13: 'the function is called once start() has returned, so what it throws rejects result',
  },
})

describe('defineProvider beside the cases', () => {
  const parent = rootAgent()

  it('P16: a string is the text of a completed result, an empty one no output', async () => {
    const service = createSubagentService({
      providers: [
        defineProvider({ name: 'upper', run: ({ prompt: [first] }) => (first?.type === 'text' ? first.text.toUpperCase() : '') }),
      ],
    })
    expect(await service.delegate('upper', { parent, prompt: 'loud' })).toEqual({
      output: [{ type: 'text', text: 'LOUD' }],
      stopReason: 'completed',
    })
    expect(await service.delegate('upper', { parent, prompt: [{ type: 'resource_link', uri: 'file:///a', name: 'a' }] })).toEqual({
      output: [],
      stopReason: 'completed',
    })
    await service.close()
  })

  it('P16, S6: what it keeps between runs is freed by its close, after the last run is gone', async () => {
    const done: string[] = []
    let works!: () => void
    const working = new Promise<void>((resolve) => (works = resolve))
    const pooled = defineProvider({
      name: 'pooled',
      run: async (_, { signal }) => {
        works()
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        await new Promise((resolve) => setImmediate(resolve))
        done.push('run')
        return ''
      },
      close: () => void done.push('close'),
    })
    const service = createSubagentService({ providers: [pooled] })
    const run = service.start('pooled', { parent, prompt: 'Wait.' })
    await working
    await service.close()
    expect(done).toEqual(['run', 'close'])
    expect(await run.result).toMatchObject({ stopReason: 'aborted' })
    expect(defineProvider({ name: 'plain', run: () => '' })).not.toHaveProperty('close')
    expect(() => defineProvider({ name: 'odd', run: () => '', close: 'yes' as never })).toThrow(
      'defineProvider: close of "odd" must be a function, got string.',
    )
  })

  it('P16, R12: what the function throws rejects the result, untouched', async () => {
    const fault = new Error('no such table')
    const service = createSubagentService({
      providers: [
        defineProvider({
          name: 'broken',
          run: () => {
            throw fault
          },
        }),
      ],
    })
    await expect(service.delegate('broken', { parent, prompt: 'work' })).rejects.toBe(fault)
    await service.close()
  })

  it('P16: something that is no function is refused when the provider is made', () => {
    expect(() => defineProvider({ name: 'none', run: 'later' as never })).toThrow(
      expect.objectContaining({ code: 'INVALID_PROVIDER', message: expect.stringContaining('run of "none" must be a function') }),
    )
  })
})
