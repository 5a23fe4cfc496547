import type { LanguageModel } from 'ai'
import { describe, expect, it } from 'vitest'
import { createAgents } from '../../src/agents/index.ts'
import { GatheredText } from '../../src/agents/gathered-text.ts'
import { scriptedModel } from '../../src/testing/scripted-model.ts'
import type { SubagentUpdateContent } from '../../src/types.ts'

type Part = Parameters<GatheredText['take']>[0]

/** What is told and what is handed on, in its order. */
function gather(parts: readonly Part[]): { readonly events: unknown[]; readonly texts: GatheredText } {
  const events: unknown[] = []
  const texts = new GatheredText((kind, delta) => void events.push(`${kind}: ${delta}`))
  for (const part of parts) events.push(...texts.take(part))
  return { events, texts }
}

const start = (id: string, kind = 'text'): Part => ({ type: `${kind}-start`, id })
const delta = (id: string, text: string, kind = 'text'): Part => ({ type: `${kind}-delta`, id, delta: text })
const end = (id: string, kind = 'text'): Part => ({ type: `${kind}-end`, id })
const finish: Part = { type: 'finish' }

describe('the texts of an answer', () => {
  it('G9: each delta is told as it comes, and a block is handed on as one', () => {
    const { events } = gather([start('a'), delta('a', 'one '), delta('a', ''), delta('a', 'two'), end('a'), finish])
    expect(events).toEqual([start('a'), 'text: one ', 'text: two', delta('a', 'one two'), end('a'), finish])
  })

  it('G9: blocks side by side are kept apart', () => {
    const parts = [start('a', 'reasoning'), start('a'), delta('a', 'hm', 'reasoning'), delta('a', 'it is'), end('a'), end('a', 'reasoning')]
    const { events } = gather(parts)
    expect(events).toEqual([
      start('a', 'reasoning'),
      start('a'),
      'reasoning: hm',
      'text: it is',
      delta('a', 'it is'),
      end('a'),
      delta('a', 'hm', 'reasoning'),
      end('a', 'reasoning'),
    ])
  })

  it('G9: a delta with metadata of the provider, as a signature is, is handed on as it came, after those before it', () => {
    const signed = { type: 'reasoning-delta', id: 'a', delta: '', providerMetadata: { anthropic: { signature: 's' } } }
    const { events } = gather([start('a', 'reasoning'), delta('a', 'hm', 'reasoning'), signed, end('a', 'reasoning')])
    expect(events).toEqual([start('a', 'reasoning'), 'reasoning: hm', delta('a', 'hm', 'reasoning'), signed, end('a', 'reasoning')])
  })

  it('G9: what an answer that breaks off holds of a block is handed on before its error, or at its end', () => {
    const error: Part = { type: 'error' }
    expect(gather([start('a'), delta('a', 'half'), error]).events.slice(2)).toEqual([delta('a', 'half'), error])
    expect(gather([start('a'), delta('a', 'half')]).texts.rest()).toEqual([delta('a', 'half')])
  })

  it('G9: blocks after a tool call, and deltas without a block, are left as they are', () => {
    const call: Part = { type: 'tool-call' }
    const parts = [
      delta('x', 'lost'),
      start('a'),
      delta('a', 'one'),
      end('a'),
      call,
      start('b'),
      delta('b', 'two'),
      delta('b', 'three'),
      end('b'),
    ]
    const { events, texts } = gather(parts)
    expect(events).toEqual([delta('x', 'lost'), start('a'), 'text: one', delta('a', 'one'), end('a'), call, ...parts.slice(5)])
    // The AI SDK gives ids of its own where one comes again.
    const told = [start('new'), delta('new', 'one'), start('b'), delta('b', 'two')].map((part) => texts.isTold(part))
    expect(told).toEqual([false, true, false, false])
  })

  it('G9: a block whose name comes again without its end loses nothing, and is left as it is after a tool call', () => {
    const call: Part = { type: 'tool-call' }
    const again = gather([start('a'), delta('a', 'one'), start('a'), delta('a', 'two'), call, start('a'), delta('a', 'three'), end('a')])
    expect(again.events).toEqual([
      start('a'),
      'text: one',
      delta('a', 'one'),
      start('a'),
      'text: two',
      delta('a', 'two'),
      call,
      start('a'),
      delta('a', 'three'),
      end('a'),
    ])
    const seen = [start('a'), delta('a', 'one'), start('a'), delta('a', 'two'), start('a'), delta('a', 'three')]
    expect(seen.map((part) => again.texts.isTold(part))).toEqual([false, true, false, true, false, false])
  })
})

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }

it('G9: an agent tells text, calls and results in the order in which the model wrote them', async () => {
  const parts = [
    { type: 'stream-start', warnings: [] },
    start('0', 'reasoning'),
    delta('0', 'hm', 'reasoning'),
    end('0', 'reasoning'),
    start('0'),
    delta('0', 'I '),
    delta('0', 'search.'),
    end('0'),
    { type: 'tool-call', toolCallId: 'c', toolName: 'search', input: '{}', providerExecuted: true, dynamic: true },
    { type: 'tool-result', toolCallId: 'c', toolName: 'search', result: { found: 3 }, dynamic: true },
    start('0'),
    delta('0', 'There are '),
    delta('0', 'three.'),
    end('0'),
    { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage },
  ]
  const stream = () =>
    new ReadableStream({
      start(controller) {
        for (const part of parts) controller.enqueue(part)
        controller.close()
      },
    })
  const model = { ...scriptedModel([]), doStream: async () => ({ stream: stream() }) } as unknown as LanguageModel
  const updates: SubagentUpdateContent[] = []
  const { agent, dispose } = createAgents({ model }).create({ onUpdate: (update) => void updates.push(update) })
  agent.send('go')
  await agent.whenIdle()
  const words = updates.flatMap((update) =>
    'text' in update ? [`${update.type} ${update.text}`] : update.type === 'usage' ? [] : [update.type],
  )
  expect(words).toEqual(['thought hm', 'text I ', 'text search.', 'tool-call', 'tool-result', 'text There are ', 'text three.'])
  const message = agent.session.events.find(({ type }) => type === 'assistant/message')
  expect(message).toMatchObject({
    content: [
      { type: 'text', text: 'I search.' },
      { type: 'text', text: 'There are three.' },
    ],
  })
  await dispose()
})
