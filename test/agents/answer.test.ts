import { describe, expect, it } from 'vitest'
import { Answer } from '../../src/agents/answer.ts'
import type { Part } from '../../src/agents/answer.ts'
import { StepDraft } from '../../src/agents/step-draft.ts'
import type { SubagentUpdateContent } from '../../src/types.ts'

/** What is told of an answer, what the log will hold of it, and the answer as a whole. */
function gather(parts: readonly Part[]) {
  const updates: SubagentUpdateContent[] = []
  const warnings: unknown[] = []
  const draft = new StepDraft('1', (update) => updates.push(update))
  const answer = new Answer(draft, (warning) => warnings.push(warning))
  for (const part of parts) answer.take(part)
  return { answer, updates, warnings, draft: draft.outcome('finished') }
}

const start = (id: string, kind = 'text', more = {}): Part => ({ type: `${kind}-start`, id, ...more })
const delta = (id: string, text: string, kind = 'text', more = {}): Part => ({ type: `${kind}-delta`, id, delta: text, ...more })
const end = (id: string, kind = 'text', more = {}): Part => ({ type: `${kind}-end`, id, ...more })
const finish: Part = { type: 'finish', finishReason: { unified: 'stop', raw: 'end_turn' }, usage: { total: 1 } }
const content = (answer: Answer) => (answer.whole(undefined, undefined) as { readonly content: unknown }).content
const said = (text: string) => ({ type: 'text', text, messageId: '1' })

describe('an answer', () => {
  it('G9: each delta is told as it comes, and a text is whole in the end', () => {
    const { answer, updates, draft } = gather([start('a'), delta('a', 'one '), delta('a', ''), delta('a', 'two'), end('a'), finish])
    expect(updates).toEqual([said('one '), said('two')])
    expect(content(answer)).toEqual([{ type: 'text', text: 'one two' }])
    expect(draft.content).toEqual([{ type: 'text', text: 'one two' }])
  })

  it('G9: texts and thoughts side by side are kept apart, also where their ids are the same', () => {
    const parts = [start('a', 'reasoning'), start('a'), delta('a', 'hm', 'reasoning'), delta('a', 'it is'), end('a'), end('a', 'reasoning')]
    const { answer, updates } = gather([...parts, finish])
    expect(updates).toEqual([{ type: 'thought', text: 'hm', messageId: '1' }, said('it is')])
    expect(content(answer)).toEqual([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'it is' },
    ])
  })

  it('what a provider wants back with a text, as a signature is, goes with it from whichever part brought it last', () => {
    const signed = (signature: string) => ({ providerMetadata: { anthropic: { signature } } })
    const { answer } = gather([
      start('a', 'reasoning', signed('first')),
      delta('a', 'hm', 'reasoning'),
      delta('a', '', 'reasoning', signed('last')),
      end('a', 'reasoning'),
      start('b'),
      delta('b', 'yes'),
      end('b', 'text', { citations: ['page 1'] }),
      finish,
    ])
    expect(content(answer)).toEqual([
      { type: 'reasoning', text: 'hm', ...signed('last') },
      { type: 'text', text: 'yes', citations: ['page 1'] },
    ])
  })

  it('G9: a text that begins again without its end, or has no beginning, loses nothing', () => {
    const { answer, draft } = gather([start('a'), delta('a', 'one'), start('a'), delta('a', 'two'), delta('x', 'three'), end('y'), finish])
    const texts = ['one', 'two', 'three'].map((text) => ({ type: 'text', text }))
    expect([content(answer), draft.content]).toEqual([texts, texts])
  })

  it('G9: texts and calls keep their order; arguments are told as JSON, none as an empty object, and what is no JSON as it is', () => {
    const call = (toolCallId: string, input: string): Part => ({ type: 'tool-call', toolCallId, toolName: 'look', input })
    const { answer, updates } = gather([
      call('1', '{"at":"here"}'),
      start('a'),
      delta('a', 'and'),
      end('a'),
      call('2', ' '),
      call('3', '{"at":'),
      finish,
    ])
    const told = (toolCallId: string, input: unknown) => ({ type: 'tool-call', toolCallId, name: 'look', input })
    expect(updates).toEqual([told('1', { at: 'here' }), said('and'), told('2', {}), told('3', '{"at":')])
    expect(content(answer)).toEqual([call('1', '{"at":"here"}'), { type: 'text', text: 'and' }, call('2', ' '), call('3', '{"at":')])
  })

  it('a tool that the provider runs is told with its result, its preliminary ones are left out', () => {
    const call: Part = { type: 'tool-call', toolCallId: '1', toolName: 'web', input: '{}', providerExecuted: true }
    const result = (more: object): Part => ({ type: 'tool-result', toolCallId: '1', toolName: 'web', ...more })
    const good = gather([call, result({ result: 'half', preliminary: true }), result({ result: ['all'] }), finish])
    expect(good.draft.calls).toEqual([
      { toolCallId: '1', name: 'web', input: {}, byProvider: true, result: { status: 'ok', output: ['all'] } },
    ])
    expect(content(good.answer)).toEqual([call, result({ result: ['all'] })])
    const bad = gather([call, result({ result: { code: 'unavailable' }, isError: true }), finish])
    expect(bad.draft.calls[0]?.result).toEqual({ status: 'error', output: { code: 'unavailable' } })
  })

  it('files are kept in every form that the versions of the specification have', () => {
    const file = (mediaType: string, data: unknown): Part => ({ type: 'file', mediaType, data })
    const parts = [
      file('image/png', 'AAEC'),
      file('application/pdf', new Uint8Array([0, 1, 2])),
      file('audio/wav', { type: 'data', data: new Uint8Array([0, 1, 2]) }),
      file('image/png', { type: 'url', url: new URL('https://files.example/a.png') }),
    ]
    const { answer, draft } = gather([...parts, finish])
    expect(draft.content).toEqual([
      { type: 'image', data: 'AAEC', mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'generated:1/1', mimeType: 'application/pdf', blob: 'AAEC' } },
      { type: 'audio', data: 'AAEC', mimeType: 'audio/wav' },
      { type: 'resource_link', uri: 'https://files.example/a.png', name: 'generated file', mimeType: 'image/png' },
    ])
    expect(content(answer)).toEqual(parts)
  })

  it('what is not read here goes on to the AI SDK, and what is no part of an answer does not', () => {
    const source: Part = { type: 'source', sourceType: 'url', id: '1', url: 'https://example.com' }
    const typed = ['start', 'delta', 'end'].map((suffix): Part => ({ type: `tool-input-${suffix}`, id: '1' }))
    const { answer, updates } = gather([source, ...typed, { type: 'raw', rawValue: 1 }, { type: 'ping' }, finish])
    expect([content(answer), updates]).toEqual([[source], []])
  })

  it('says what its provider does of itself, and tells warnings, which the AI SDK would write to the console', () => {
    const at = new Date(0)
    const { answer, warnings } = gather([
      { type: 'stream-start', warnings: ['no seed'] },
      { type: 'response-metadata', id: 'r' },
      { type: 'response-metadata', modelId: 'm', timestamp: at },
      { ...finish, providerMetadata: { x: { y: 1 } } },
    ])
    expect(warnings).toEqual(['no seed'])
    expect(answer.whole({ body: 'b' }, { h: '1' })).toEqual({
      content: [],
      usage: { total: 1 },
      finishReason: { unified: 'stop', raw: 'end_turn' },
      providerMetadata: { x: { y: 1 } },
      warnings: [],
      request: { body: 'b' },
      response: { id: 'r', modelId: 'm', timestamp: at, headers: { h: '1' } },
    })
  })

  it('that breaks off is none, and keeps what was told', () => {
    const { answer, draft } = gather([start('a'), delta('a', 'half')])
    expect([answer.isBrokenOff, draft.content]).toEqual([true, [{ type: 'text', text: 'half' }]])
    expect(() => answer.whole(undefined, undefined)).toThrow('The answer broke off.')
  })

  it('in which something went wrong ends as an error, so that no tool is run for it; the first error counts', () => {
    const finished = (finishReason: unknown) => {
      const { answer } = gather([
        { type: 'error', error: 'first' },
        { type: 'error', error: 'second' },
        { ...finish, finishReason },
      ])
      return [answer.failure, (answer.whole(undefined, undefined) as { finishReason: unknown }).finishReason]
    }
    expect(finished({ unified: 'tool-calls', raw: 'tool_use' })).toEqual([{ error: 'first' }, { unified: 'error', raw: 'tool_use' }])
    // Version 2 of the specification.
    expect(finished('tool-calls')).toEqual([{ error: 'first' }, 'error'])
  })
})
