import { describe, expect, it } from 'vitest'
import { SubagentError } from '../../src/errors.ts'
import { defineProvider } from '../../src/providers/define.ts'
import type { DefineProviderOptions } from '../../src/providers/define.ts'
import { createSubagentService } from '../../src/service.ts'
import type { SubagentService } from '../../src/service.ts'
import type { SubagentResult } from '../../src/types.ts'
import { parent, text } from '../run/harness.ts'

const silent = { debug: () => {}, warn: () => {}, error: () => {} }
const serviceOf = (run: DefineProviderOptions['run']): SubagentService => createSubagentService({ providers: [defineProvider({ name: 'mine', run })], logger: silent })
const delegate = (run: DefineProviderOptions['run']): Promise<SubagentResult> => serviceOf(run).delegate('mine', { parent, prompt: 'do it' })

describe('defineProvider', () => {
  it('P16: makes a child of an async function; a string is a completed answer', async () => {
    expect(await delegate(async ({ prompt }) => `did: ${prompt.map((block) => block.type === 'text' && block.text).join()}`)).toEqual({
      output: [text('did: do it')],
      stopReason: 'completed',
    })
    expect(await delegate(() => '')).toEqual({ output: [], stopReason: 'completed' })
    expect(await delegate(() => ({ output: [], stopReason: 'refusal' }))).toEqual({ output: [], stopReason: 'refusal' })
  })

  it('P16: its updates are those of the run', async () => {
    const service = serviceOf((_, { update }) => {
      update({ type: 'text', text: 'half ' })
      update({ type: 'text', text: 'way' })
      return { output: [], stopReason: 'max-tokens' }
    })
    const updates: unknown[] = []
    service.on('subagent/update', ({ update }) => updates.push(update.type === 'text' && update.text))
    expect((await service.delegate('mine', { parent, prompt: 'x' })).output).toEqual([text('half way')])
    expect(updates).toEqual(['half ', 'way'])
  })

  it('P16, R12: a throw rejects the result, also one before the first await', async () => {
    const error = new Error('a bug')
    await expect(
      delegate(() => {
        throw error
      }),
    ).rejects.toBe(error)
    await expect(delegate(async () => Promise.reject(error))).rejects.toBe(error)
    await expect(delegate(async () => undefined as never)).rejects.toSatisfy((thrown) => SubagentError.is(thrown, 'INVALID_RESULT'))
  })

  it('P16, R7: hears a cancel by its signal, and its dispose waits for its end', async () => {
    let ended = false
    const service = serviceOf(async (_, { signal }) => {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      await Promise.resolve()
      ended = true
      throw signal.reason
    })
    const run = service.start('mine', { parent, prompt: 'x' })
    await Promise.resolve()
    run.cancel('enough')
    expect((await run.result).stopReason).toBe('aborted')
    await run.dispose()
    expect(ended).toBe(true)
  })

  it('P16, R7: one that was cancelled before its turn came is not called', async () => {
    let called = false
    const service = serviceOf(() => {
      called = true
      return 'done'
    })
    const run = service.start('mine', { parent, prompt: 'x' })
    run.cancel()
    expect(await run.result).toEqual({ output: [], stopReason: 'aborted' })
    await run.dispose()
    expect(called).toBe(false)
  })

  it('S28: delegate disposes on every path and passes on what start throws', async () => {
    const service = serviceOf(() => 'done')
    await expect(service.delegate('nobody', { parent, prompt: 'x' })).rejects.toSatisfy((thrown) => SubagentError.is(thrown, 'NO_PROVIDER'))
    await service.delegate('mine', { parent, prompt: 'x' })
    expect((service.ref.getPersistedSnapshot() as any).runs).toEqual({})
  })

  it('P16: refuses a run that is no function', () => {
    expect(() => defineProvider({ name: 'mine', run: 'nothing' as never })).toThrow(expect.objectContaining({ code: 'INVALID_PROVIDER' }))
  })
})
