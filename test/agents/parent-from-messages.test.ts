import { convertToModelMessages, stepCountIs, streamText, tool } from 'ai'
import type { ModelMessage, UIMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createAgents, parentFromMessages } from '../../src/agents/index.ts'
import { createSubagentService, depthOf } from '../../src/index.ts'
import { forkProvider } from '../../src/providers/index.ts'
import { scriptedModel } from '../../src/testing/index.ts'
import { lines, memoryLogger } from './harness.ts'

const logOf = (messages: readonly unknown[]): string[] => lines(parentFromMessages({ messages: messages as ModelMessage[] }).session)
const user = (content: unknown) => ({ role: 'user', content })
const assistant = (content: unknown) => ({ role: 'assistant', content })
const call = (toolCallId: string, input: unknown = {}, more: object = {}) => ({
  type: 'tool-call',
  toolCallId,
  toolName: 'look',
  input,
  ...more,
})
const result = (toolCallId: string, output: unknown) => ({ type: 'tool-result', toolCallId, toolName: 'look', output })
const answered = (...outputs: readonly unknown[]) => ({
  role: 'tool',
  content: outputs.map((output, index) => result(`c${index}`, output)),
})

describe('turns', () => {
  it('S26: each message of the user begins a turn, which the assistant ends by having the last word', () => {
    expect(logOf([user('one'), assistant('1'), user([{ type: 'text', text: 'two' }]), assistant([{ type: 'text', text: '2' }])])).toEqual([
      'turn 1',
      'user "one"',
      'assistant "1"',
      'end 1 completed',
      'turn 2',
      'user "two"',
      'assistant "2"',
      'end 2 completed',
    ])
  })

  it('S26: calls, results and several steps are one turn; messages of the user in a row are one too', () => {
    const messages = [
      user('a'),
      user('b'),
      assistant([{ type: 'text', text: 'Looking.' }, call('c0', { at: 'x' })]),
      answered({ type: 'text', value: 'seen' }),
      assistant('There.'),
    ]
    expect(logOf(messages)).toEqual([
      'turn 1',
      'user "a"',
      'user "b"',
      'assistant "Looking."',
      'call look {"at":"x"}',
      'result look ok "seen"',
      'assistant "There."',
      'end 1 completed',
    ])
  })

  it.each<[string, readonly unknown[], number]>([
    ['a message of the user', [user('a'), assistant('1'), user('b')], 4],
    ['the result of a tool', [user('a'), assistant([call('c0')]), answered({ type: 'text', value: 'seen' })], 0],
    ['a call without its result', [user('a'), assistant('1'), user('b'), assistant([{ type: 'text', text: 'hm' }, call('c0')])], 4],
    [
      'one of two results',
      [user('a'), assistant([call('c0'), call('c1')]), answered({ type: 'text', value: 'seen' }), assistant('and')],
      0,
    ],
    ['nothing', [], 0],
    ['what the system says', [{ role: 'system', content: 'You are terse.' }], 0],
  ])('S26, P8: a conversation that ends with %s has its last turn open', (_, messages, completed) => {
    const { events } = parentFromMessages({ messages: messages as ModelMessage[] }).session
    expect(events.findLastIndex(({ type }) => type === 'turn/end') + 1).toBe(completed)
  })

  it('S26: a call that was never answered before the user went on gets a result that says so', () => {
    expect(logOf([user('a'), assistant([call('c0')]), user('never mind'), assistant('fine')])).toEqual([
      'turn 1',
      'user "a"',
      'assistant ""',
      'call look {}',
      'result look error "The call has no recorded result."',
      'end 1 completed',
      'turn 2',
      'user "never mind"',
      'assistant "fine"',
      'end 2 completed',
    ])
  })

  it('S26: one that the assistant begins is a turn as well; messages of the system are dropped', () => {
    expect(logOf([{ role: 'system', content: 'secret' }, assistant('Hello!'), user('hi'), assistant('ho')])).toEqual([
      'turn 1',
      'assistant "Hello!"',
      'end 1 completed',
      'turn 2',
      'user "hi"',
      'assistant "ho"',
      'end 2 completed',
    ])
  })

  it('S26: the events are frozen, numbered, and shared with nobody; id, cwd and depth are as asked for', () => {
    const messages = [user([{ type: 'text', text: 'one' }]), assistant('1')]
    const parent = parentFromMessages({ messages: messages as ModelMessage[], cwd: '/project', id: 'chat-7', depth: 2 })
    ;(messages[0]!.content as { text: string }[])[0]!.text = 'changed'
    expect(parent.session.events.map(({ seq }) => seq)).toEqual([0, 1, 2, 3])
    expect(parent.session.events[1]).toMatchObject({ content: [{ text: 'one' }] })
    expect(Object.isFrozen(parent.session.events)).toBe(true)
    expect([parent.id, parent.session.header.cwd, depthOf(parent)]).toEqual(['chat-7', '/project', 2])
  })
})

describe('parts', () => {
  const contentOf = (...parts: readonly unknown[]) => {
    const event = parentFromMessages({ messages: [user(parts)] as ModelMessage[] }).session.events[1]
    return event?.type === 'user/message' ? event.content : undefined
  }
  const bytes = new Uint8Array([1, 2, 3])

  it('S26: images and files are kept as blocks, however their data is given', () => {
    for (const data of [
      'AQID',
      bytes,
      bytes.buffer,
      Buffer.from(bytes),
      'data:image/png;base64,AQID',
      new URL('data:image/png;base64,AQID'),
    ])
      expect(contentOf({ type: 'image', image: data, mediaType: 'image/png' })).toEqual([
        { type: 'image', data: 'AQID', mimeType: 'image/png' },
      ])
    expect(contentOf({ type: 'image', image: 'AQID' })).toEqual([{ type: 'image', data: 'AQID', mimeType: 'image/*' }])
    for (const [mimeType, signature] of [
      ['image/png', '\x89PNG\r\n\x1a\n'],
      ['image/jpeg', '\xff\xd8\xff\xe0'],
      ['image/gif', 'GIF89a'],
      ['image/webp', 'RIFF\x01\x02\x03\x04WEBP'],
    ] as const) {
      const image = Buffer.from(`${signature} and so on`, 'latin1')
      const block = { type: 'image', data: image.toString('base64'), mimeType }
      for (const data of [image, new Uint8Array(image), image.toString('base64'), `data:;base64,${image.toString('base64')}`])
        expect(contentOf({ type: 'image', image: data })).toEqual([block])
      expect(contentOf({ type: 'file', data: image, mediaType: 'image/*' })).toEqual([block])
      expect(contentOf({ type: 'image', image, mediaType: 'image/avif' })).toEqual([{ ...block, mimeType: 'image/avif' }])
    }
    expect(contentOf({ type: 'image', image: 'data:image/gif;base64,AQID' })).toEqual([
      { type: 'image', data: 'AQID', mimeType: 'image/gif' },
    ])
    expect(contentOf({ type: 'file', data: bytes, mediaType: 'audio/wav' })).toEqual([
      { type: 'audio', data: 'AQID', mimeType: 'audio/wav' },
    ])
    expect(contentOf({ type: 'file', data: bytes, mediaType: 'application/pdf', filename: 'a b.pdf' })).toEqual([
      { type: 'resource', resource: { uri: 'attachment:a%20b.pdf', mimeType: 'application/pdf', blob: 'AQID' } },
    ])
    const large = new Uint8Array(100_000).fill(7)
    expect(contentOf({ type: 'file', data: large, mediaType: 'image/png' })).toEqual([
      { type: 'image', data: Buffer.from(large).toString('base64'), mimeType: 'image/png' },
    ])
  })

  it('S26: one that is given as an address is a link', () => {
    expect(contentOf({ type: 'image', image: new URL('https://example.test/cats/tom.png?size=1') })).toEqual([
      { type: 'resource_link', uri: 'https://example.test/cats/tom.png?size=1', name: 'tom.png' },
    ])
    expect(contentOf({ type: 'file', data: 'https://example.test/report.pdf', mediaType: 'application/pdf', filename: 'Report' })).toEqual([
      { type: 'resource_link', uri: 'https://example.test/report.pdf', name: 'Report', mimeType: 'application/pdf' },
    ])
  })

  it('S26: reasoning is dropped, an empty text too', () => {
    expect(
      logOf([
        user('a'),
        assistant([
          { type: 'reasoning', text: 'secret' },
          { type: 'text', text: '' },
          { type: 'text', text: 'b' },
        ]),
      ]),
    ).toEqual(['turn 1', 'user "a"', 'assistant "b"', 'end 1 completed'])
  })

  it('S26: every kind of output is kept: text, JSON, errors, a denial, content with a mark for each file', () => {
    const outputs = [
      { type: 'text', value: 'seen' },
      { type: 'json', value: { found: 3 } },
      { type: 'error-text', value: 'not there' },
      { type: 'error-json', value: { code: 404 } },
      { type: 'execution-denied', reason: 'not today' },
      { type: 'execution-denied' },
      {
        type: 'content',
        value: [
          { type: 'text', text: 'a picture' },
          { type: 'image-data', data: 'AQID', mediaType: 'image/png' },
          { type: 'file-url', url: 'https://example.test/a' },
        ],
      },
    ]
    expect(
      logOf([user('a'), assistant(outputs.map((_, index) => call(`c${index}`))), answered(...outputs), assistant('b')]).filter((line) =>
        line.startsWith('result'),
      ),
    ).toEqual([
      'result look ok "seen"',
      'result look ok {"found":3}',
      'result look error "not there"',
      'result look error {"code":404}',
      'result look error "not today"',
      'result look error "The call was denied."',
      'result look ok "a picture\\n[image-data image/png]\\n[file-url https://example.test/a]"',
    ])
  })

  it('S26: a tool that the provider ran has its result in the message of the assistant, and the text around it stays', () => {
    const messages = [
      user('a'),
      assistant([
        { type: 'text', text: 'Searching.' },
        call('c0', {}, { providerExecuted: true }),
        result('c0', { type: 'json', value: [1] }),
        { type: 'text', text: 'Found.' },
      ]),
    ]
    expect(logOf(messages)).toEqual([
      'turn 1',
      'user "a"',
      'assistant "Searching.|Found."',
      'call look {}',
      'result look ok [1]',
      'end 1 completed',
    ])
  })

  it('S26: approvals are dropped; a call that waits for one leaves the turn open', () => {
    const asked = [user('a'), assistant([call('c0'), { type: 'tool-approval-request', approvalId: 'p', toolCallId: 'c0' }])]
    expect(logOf(asked)).toEqual(['turn 1', 'user "a"', 'assistant ""', 'call look {}'])
    const given = {
      role: 'tool',
      content: [{ type: 'tool-approval-response', approvalId: 'p', approved: true }, result('c0', { type: 'text', value: 'seen' })],
    }
    expect(logOf([...asked, given, assistant('b')]).at(-1)).toBe('end 1 completed')
  })
})

describe('what is none', () => {
  it.each<[string, unknown, RegExp]>([
    ['no list', 'hello', /^messages must be an array of model messages, got "hello"/],
    ['no message', [null], /^messages\[0\] must be a model message, got null/],
    [
      'a message of a user interface',
      [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'hi' }] }],
      /^messages\[0\] .*await convertToModelMessages\(messages\)/,
    ],
    ['another role', [{ role: 'data', content: '' }], /^messages\[0\]\.role must be system, user, assistant or tool, got "data"/],
    ['content that is none', [user(7)], /^messages\[0\]\.content must be a string or an array of parts, got 7/],
    ['text of a tool', [{ role: 'tool', content: 'seen' }], /^messages\[0\]\.content must be an array of parts/],
    ['an unknown part', [user([{ type: 'hologram' }])], /^messages\[0\]\.content\[0\] must be a part of a model message, got "hologram"/],
    [
      'a call without an id',
      [assistant([{ type: 'tool-call', toolName: 'look' }])],
      /^messages\[0\]\.content\[0\]\.toolCallId must be a string/,
    ],
    [
      'an unknown output',
      [assistant([call('c0')]), answered({ type: 'smell' })],
      /^messages\[1\]\.content\[0\]\.output\.type must be text, json/,
    ],
    [
      'a file without data',
      [user([{ type: 'file', mediaType: 'text/plain' }])],
      /^messages\[0\]\.content\[0\]\.data must be base64, bytes, or an address/,
    ],
    [
      'a file without a media type',
      [user([{ type: 'file', data: 'AQID' }])],
      /^messages\[0\]\.content\[0\]\.mediaType must be a media type/,
    ],
  ])('S26: %s is refused, by its place', (_, messages, message) => {
    expect(() => parentFromMessages({ messages: messages as never })).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', message: expect.stringMatching(message) }),
    )
  })

  it('S26: options that are none are refused', () => {
    expect(() => parentFromMessages(undefined as never)).toThrow(/messages must be an array of model messages, got undefined/)
    expect(() => parentFromMessages({ messages: [], id: '' })).toThrow(/parentFromMessages: id must be a non-empty string/)
    expect(() => parentFromMessages({ messages: [], depth: -1 })).toThrow(/parentFromMessages: depth must be a whole number/)
  })
})

describe('a fork of it', () => {
  const look = tool({ inputSchema: z.object({}), execute: () => 'seen' })
  function forks(answer: string) {
    const model = scriptedModel([answer])
    const service = createSubagentService({
      providers: [forkProvider({ agents: createAgents({ model, tools: { look }, logger: memoryLogger() }) })],
    })
    return { model, service }
  }

  it('S26, P8: knows what a streamText loop said and did, and gets its picture as a picture', async () => {
    const outer = scriptedModel([{ text: 'Looking.', tools: [{ name: 'look' }] }, 'A cat.'])
    const asked: ModelMessage[] = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image', image: 'AQID', mediaType: 'image/png' },
        ],
      },
    ]
    const { steps } = streamText({ model: outer, messages: asked, tools: { look }, stopWhen: stepCountIs(3) })
    // Version 6 of the AI SDK gives with each step all messages so far, version 7 those of the step.
    const own = (await steps).map(({ response }) => response.messages)
    const messages = process.env['AI_MAJOR'] === '7' ? own.flat() : own.at(-1)!
    const { model, service } = forks('A black one.')
    const parent = parentFromMessages({ messages: [...asked, ...messages] })
    const { output } = await service.delegate('fork', { parent, prompt: 'Which colour?' })
    expect(output).toEqual([{ type: 'text', text: 'A black one.' }])
    expect(
      model.calls[0]!.prompt.map(({ role, content }) => [role, typeof content === 'string' ? content : content.map(({ type }) => type)]),
    ).toEqual([
      ['user', ['text', 'file']],
      ['assistant', ['text', 'tool-call']],
      ['tool', ['tool-result']],
      ['assistant', ['text']],
      ['user', ['text']],
    ])
    await service.close()
  })

  it('S26: messages of a user interface, converted as the error says, are inherited', async () => {
    const ui: UIMessage[] = [
      { id: '1', role: 'user', parts: [{ type: 'text', text: 'hi' }] },
      { id: '2', role: 'assistant', parts: [{ type: 'text', text: 'ho' }] },
    ]
    expect(() => parentFromMessages({ messages: ui as never })).toThrow(/convertToModelMessages/)
    const { model, service } = forks('ok')
    await service.delegate('fork', { parent: parentFromMessages({ messages: await convertToModelMessages(ui) }), prompt: 'go' })
    expect(model.calls[0]!.prompt.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    await service.close()
  })

  it('S26, P8: started in a tool of the loop, with the messages that the tool is told, the open turn is left out', async () => {
    const { model, service } = forks('from before')
    let answer: unknown
    const ask = tool({
      inputSchema: z.object({}),
      execute: async (_, { messages }) => {
        answer = await service.delegate('fork', { parent: parentFromMessages({ messages }), prompt: 'What was said before?' })
        return 'done'
      },
    })
    const messages: ModelMessage[] = [
      { role: 'user', content: 'one' },
      { role: 'assistant', content: '1' },
      { role: 'user', content: 'ask a fork' },
    ]
    await streamText({
      model: scriptedModel([{ tools: [{ name: 'ask' }] }, 'fine']),
      messages,
      tools: { ask },
      stopWhen: stepCountIs(2),
    }).consumeStream()
    expect(answer).toMatchObject({ stopReason: 'completed' })
    expect(model.calls[0]!.prompt.map(({ content }) => (content as { text: string }[])[0]!.text)).toEqual([
      'one',
      '1',
      'What was said before?',
    ])
    await service.close()
  })
})
