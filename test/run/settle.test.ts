import { describe, expect, it } from 'vitest'
import { SubagentError } from '../../src/errors.ts'
import { harness, promises, text } from './harness.ts'

describe('the result', () => {
  it.each(['completed', 'max-tokens', 'refusal', 'error', 'aborted'] as const)(
    'R12: resolves for the child-level outcome %s',
    async (stopReason) => {
      const { start } = harness({ text: 'as far as it went', stopReason })
      expect(await start().result).toEqual({ output: [text('as far as it went')], stopReason })
    },
  )

  it("R12: rejects with the very error when the provider's promise failed", async () => {
    const error = new TypeError('a bug of the provider')
    const { start, events } = harness({ reject: error })
    const run = start()
    await expect(run.result).rejects.toBe(error)
    expect(events.at(-1)).toMatchObject({ type: 'subagent/end', stopReason: 'error' })
    expect(events.at(-1)).not.toHaveProperty('lastAssistantMessage')
  })

  it.each([
    ['null', null],
    ['undefined', undefined],
    ['a string', 'answer'],
    ['no output', { stopReason: 'completed' }],
    ['output that is no array', { output: 'text', stopReason: 'completed' }],
    ['a block that is none', { output: ['text'], stopReason: 'completed' }],
    ['no stop reason', { output: [] }],
    ['an empty stop reason', { output: [], stopReason: '' }],
  ])('R12: rejects with INVALID_RESULT for %s', async (_, result) => {
    const { start } = harness({ result })
    await expect(start().result).rejects.toSatisfy(
      (error) => SubagentError.is(error, 'INVALID_RESULT') && error.message.includes('"scripted"'),
    )
  })

  it.each([
    [
      { type: 'file', data: 'AA', mimeType: 'application/pdf' },
      'a content block of type text, image, audio, resource_link, resource, got "file"',
    ],
    [{ type: 'thinking', thinking: 'hm' }, 'a content block of type text, image, audio, resource_link, resource, got "thinking"'],
    [undefined, 'a content block of type text, image, audio, resource_link, resource, got undefined'],
    [{ type: 'text', text: 5 }, 'text must be a string, got 5'],
    [{ type: 'image', mimeType: 'image/png' }, 'data must be a string, got undefined'],
    [{ type: 'audio', data: 5, mimeType: 'audio/wav' }, 'data must be a string, got 5'],
    [{ type: 'resource_link', uri: 'file:///a', name: 'a', description: 5 }, 'description must be a string, got 5'],
    [{ type: 'resource' }, 'resource must be an object, got undefined'],
    [{ type: 'resource', resource: { text: 'a' } }, 'resource.uri must be a string, got undefined'],
    [{ type: 'resource', resource: { uri: 'file:///a' } }, 'resource.text must be a string, got undefined'],
    [{ type: 'resource', resource: { uri: 'file:///a', blob: null } }, 'resource.blob must be a string, got null'],
    [{ type: 'resource', resource: { uri: 'file:///a', text: 'a', mimeType: 5 } }, 'resource.mimeType must be a string, got 5'],
  ])('R12: a block that is none makes the answer INVALID_RESULT, naming it and what was expected: %j', async (block, expected) => {
    const { start } = harness({ result: { output: [text('fine'), block], stopReason: 'completed' } })
    const run = start()
    await expect(run.result).rejects.toMatchObject({
      code: 'INVALID_RESULT',
      message: `Provider "scripted" gave something that is not a result: output[1]${expected.startsWith('a ') ? ' must be ' : '.'}${expected}.`,
    })
    await run.dispose()
  })

  it('R12: blocks of every type are taken; what may be left out may be null', async () => {
    const output = [
      text(''),
      { type: 'image', data: '', mimeType: 'image/png' },
      { type: 'audio', data: 'AA', mimeType: 'audio/wav' },
      { type: 'resource_link', uri: 'file:///a', name: 'a', description: null, mimeType: null },
      { type: 'resource', resource: { uri: 'file:///a', text: '' } },
      { type: 'resource', resource: { uri: 'file:///a', blob: 'AA', mimeType: 'application/pdf' } },
    ]
    const { start } = harness({ result: { output, stopReason: 'completed' } })
    expect((await start().result).output).toEqual(output)
  })

  it('R12, R7: an answer that is none, of a run that was cancelled, leaves what it had written, and is told', async () => {
    const { start, provider, warnings } = harness({ hang: true, deaf: true })
    const run = start()
    provider.children[0]!.update({ type: 'text', text: 'half' })
    run.cancel()
    provider.children[0]!.settle({ output: [{ type: 'thinking' } as never] })
    expect(await run.result).toMatchObject({ stopReason: 'aborted', output: [text('half')] })
    expect(warnings).toEqual([expect.stringMatching(/^Run .* was stopped, and its answer is dropped\. .*output\[0\] must be/)])
  })

  it('R12: a rejection that nobody awaits is not an unhandled rejection', async () => {
    const { start } = harness({ reject: new Error('nobody looks') })
    const unhandled: unknown[] = []
    const note = (reason: unknown): void => void unhandled.push(reason)
    process.on('unhandledRejection', note)
    const run = start()
    void run.result
    await promises()
    await new Promise((resolve) => setImmediate(resolve))
    await run.dispose()
    process.off('unhandledRejection', note)
    expect(unhandled).toEqual([])
  })

  it('R13: a failure after the start settles as error with code, phase, retryable and message', async () => {
    const failure = { code: 'MODEL_ERROR', phase: 'running', retryable: true, message: 'overloaded' } as const
    const { start } = harness({ stopReason: 'error', failure, diagnostic: 'status 529' })
    expect(await start().result).toEqual({ output: [], stopReason: 'error', failure, diagnostic: 'status 529' })
  })

  it('R14: the diagnostic is at most 4096 bytes, cut at a code point, with a mark', async () => {
    const { start } = harness({ stopReason: 'error', diagnostic: '🙂'.repeat(2000) })
    const { diagnostic = '' } = await start().result
    const bytes = new TextEncoder().encode(diagnostic).length
    expect(bytes).toBeLessThanOrEqual(4096)
    expect(bytes).toBeGreaterThan(4080)
    expect(diagnostic).toMatch(/^(🙂)+ … \[cut\]$/u)
  })

  it("R14: the output is the caller's own: not frozen, shared with nobody", async () => {
    const mine = [text('answer')]
    const { provider, start, events } = harness({ hang: true })
    const run = start()
    provider.children[0]!.settle({ output: mine })
    const { output } = await run.result
    const end = events.at(-1) as { lastAssistantMessage: unknown }
    ;(output[0] as { text: string }).text = 'changed'
    output.push(text('more'))
    expect(mine).toEqual([text('answer')])
    expect(end.lastAssistantMessage).toEqual([text('answer')])
    expect(Object.isFrozen(end.lastAssistantMessage)).toBe(true)
    expect(Object.isFrozen((end.lastAssistantMessage as object[])[0])).toBe(true)
  })

  it('V4: structured is there only with a schema and on completed', async () => {
    const outputSchema = { type: 'object', properties: { n: { type: 'number' } } } as const
    const { start } = harness({ structured: { n: 1 }, text: '1' })
    expect(await start({ outputSchema }).result).toHaveProperty('structured', { n: 1 })
    expect(await start().result).not.toHaveProperty('structured')
    const cut = harness({ structured: { n: 1 }, stopReason: 'max-tokens' })
    expect(await cut.start({ outputSchema }).result).not.toHaveProperty('structured')
  })
})
