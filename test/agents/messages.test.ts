import { jsonSchema, tool } from 'ai'
import type { ModelMessage, ToolSet } from 'ai'
import { expect, it } from 'vitest'
import { createMessageHistory } from '../../src/agents/messages.ts'
import type { SessionEntry } from '../../src/agents/sessions/log.ts'
import type { ContentBlock, SessionEvent } from '../../src/types.ts'

const log = (...entries: SessionEntry[]): SessionEvent[] => entries.map((entry, seq) => ({ seq, at: 0, ...entry }) as SessionEvent)
const text = (value: string): ContentBlock[] => [{ type: 'text', text: value }]
const call = (toolCallId: string, input: unknown = {}): SessionEntry => ({
  type: 'tool/call',
  toolCallId,
  name: 't',
  input: input as never,
})
const result = (toolCallId: string, output: unknown, status: 'ok' | 'error' = 'ok'): SessionEntry => ({
  type: 'tool/result',
  toolCallId,
  name: 't',
  status,
  output: output as never,
})

async function messagesOf(events: readonly SessionEvent[], tools: ToolSet = {}): Promise<ModelMessage[]> {
  const history = createMessageHistory()
  await history.sync(events, tools)
  return history.messages
}

it('G7: words and tool calls of one step are one message, results another, and the next step begins anew', async () => {
  const events = log(
    { type: 'turn/start', turn: 1 },
    { type: 'user/message', content: text('go') },
    { type: 'assistant/message', content: text('one') },
    call('1', { x: 1 }),
    call('2'),
    result('1', 'first'),
    result('2', { y: 2 }),
    { type: 'assistant/message', content: [] },
    call('3'),
    result('3', 'no', 'error'),
    { type: 'assistant/message', content: text('done') },
    { type: 'turn/end', turn: 1, reason: { kind: 'completed' } },
  )
  expect(await messagesOf(events)).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'go' }] },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'one' },
        { type: 'tool-call', toolCallId: '1', toolName: 't', input: { x: 1 } },
        { type: 'tool-call', toolCallId: '2', toolName: 't', input: {} },
      ],
    },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: '1', toolName: 't', output: { type: 'text', value: 'first' } },
        { type: 'tool-result', toolCallId: '2', toolName: 't', output: { type: 'json', value: { y: 2 } } },
      ],
    },
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: '3', toolName: 't', input: {} }] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: '3', toolName: 't', output: { type: 'error-text', value: 'no' } }] },
    { role: 'assistant', content: [{ type: 'text', text: 'done' }] },
  ])
})

it('taking a log up bit by bit gives the same as taking it up at once', async () => {
  const events = log(
    { type: 'user/message', content: text('go') },
    call('1'),
    call('2'),
    result('1', 'a'),
    result('2', 'b'),
    { type: 'assistant/message', content: text('x') },
    { type: 'user/message', content: text('y') },
  )
  const whole = await messagesOf(events)
  const history = createMessageHistory()
  for (let end = 1; end <= events.length; end++) await history.sync(events.slice(0, end), {})
  expect(history.messages).toEqual(whole)
})

it('a call that a crash left without a result gets one, and a result without its call is left out', async () => {
  const events = log(
    { type: 'user/message', content: text('go') },
    call('1'),
    call('2'),
    result('1', 'a'),
    { type: 'user/message', content: text('again') },
    result('9', 'stray'),
  )
  expect((await messagesOf(events)).slice(1)).toEqual([
    expect.objectContaining({ role: 'assistant' }),
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: '1', toolName: 't', output: { type: 'text', value: 'a' } },
        { type: 'tool-result', toolCallId: '2', toolName: 't', output: { type: 'error-text', value: 'The call has no recorded result.' } },
      ],
    },
    { role: 'user', content: [{ type: 'text', text: 'again' }] },
  ])
})

it('arguments that are no object become an empty one, which every provider takes', async () => {
  for (const input of ['{"cut', 7, null, [1]])
    expect((await messagesOf(log(call('1', input))))[0]).toMatchObject({ content: [{ input: {} }] })
})

it('every content block becomes a part', async () => {
  const content: ContentBlock[] = [
    { type: 'text', text: 't' },
    { type: 'image', data: 'aW1n', mimeType: 'image/png' },
    { type: 'audio', data: 'YXVk', mimeType: 'audio/wav' },
    { type: 'resource_link', uri: 'file:///a.ts', name: 'a.ts', description: 'the entry' },
    { type: 'resource_link', uri: 'file:///b.ts', name: 'b.ts' },
    { type: 'resource', resource: { uri: 'file:///c', text: 'inside' } },
    { type: 'resource', resource: { uri: 'file:///d', blob: 'YmxvYg==', mimeType: 'application/pdf' } },
    { type: 'resource', resource: { uri: 'file:///e', blob: 'YmxvYg==' } },
  ]
  expect((await messagesOf(log({ type: 'user/message', content })))[0]).toEqual({
    role: 'user',
    content: [
      { type: 'text', text: 't' },
      { type: 'file', data: 'aW1n', mediaType: 'image/png' },
      { type: 'file', data: 'YXVk', mediaType: 'audio/wav' },
      { type: 'text', text: '[a.ts](file:///a.ts): the entry' },
      { type: 'text', text: '[b.ts](file:///b.ts)' },
      { type: 'text', text: '<resource uri="file:///c">\ninside\n</resource>' },
      { type: 'file', data: 'YmxvYg==', mediaType: 'application/pdf' },
      { type: 'file', data: 'YmxvYg==', mediaType: 'application/octet-stream' },
    ],
  })
})

it('a tool with toModelOutput says how its logged answer reads; one that cannot read it back is passed over', async () => {
  const withOutput = (toModelOutput: (options: { output: unknown }) => { type: 'text'; value: string }) => ({
    t: tool({ inputSchema: jsonSchema({ type: 'object' }), execute: async (): Promise<unknown> => 0, toModelOutput }),
  })
  const events = log(call('1'), result('1', { y: 2 }))
  const outputOf = async (tools: ToolSet) => ((await messagesOf(events, tools))[1] as { content: { output: unknown }[] }).content[0]!.output
  expect(await outputOf(withOutput(({ output }) => ({ type: 'text', value: `y is ${(output as { y: number }).y}` })))).toEqual({
    type: 'text',
    value: 'y is 2',
  })
  expect(
    await outputOf(
      withOutput(() => {
        throw new Error('no')
      }),
    ),
  ).toEqual({ type: 'json', value: { y: 2 } })
})

it("a step's own messages stand in for what its events would give, but never overtake earlier events", async () => {
  const events = log(
    { type: 'user/message', content: text('go') },
    { type: 'assistant/message', content: text('from the log') },
    { type: 'user/message', content: text('more') },
  )
  const own: ModelMessage[] = [
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'own' },
      ],
    },
  ]
  const history = createMessageHistory()
  await history.sync(events.slice(0, 1), {})
  history.take(own, 1, 2)
  await history.sync(events, {})
  expect(history.messages.map(({ content }) => content)).toEqual([
    [{ type: 'text', text: 'go' }],
    own[0]!.content,
    [{ type: 'text', text: 'more' }],
  ])
  const late = createMessageHistory()
  late.take(own, 1, 2)
  await late.sync(events, {})
  expect(late.messages).toEqual(await messagesOf(events))
})
