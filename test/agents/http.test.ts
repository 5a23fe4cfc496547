import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { tool } from 'ai'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createAgents } from '../../src/agents/index.ts'
import type { SubagentUpdateContent, TurnEndReason } from '../../src/types.ts'
import { openAIServer } from '../fixtures/openai-server.ts'
import type { Answer, OpenAIServer } from '../fixtures/openai-server.ts'
import { ask, gate, lines, memoryLogger } from './harness.ts'

/** Of no known form, so that only care keeps it out, not a pattern. */
const apiKey = 'blue-Horse.battery'
const retryAtOnce = { 'retry-after-ms': '0' }

let server: OpenAIServer | undefined
let spies: ReturnType<typeof vi.spyOn>[] = []
beforeEach(() => {
  spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map((name) => vi.spyOn(console, name).mockImplementation(() => {}))
})
afterEach(async () => {
  expect(spies.flatMap((spy) => spy.mock.calls)).toEqual([])
  vi.restoreAllMocks()
  await server?.close()
  server = undefined
})

async function agentOn(...answers: Answer[]) {
  server = await openAIServer(...answers)
  const provider = createOpenAICompatible({ name: 'local', baseURL: server.baseURL, apiKey, includeUsage: true })
  const logger = memoryLogger()
  const updates: SubagentUpdateContent[] = []
  const add = tool({ description: 'Adds one.', inputSchema: z.object({ x: z.number() }), execute: async ({ x }) => x + 1 })
  const agents = createAgents({ resolveModel: (id) => provider(id), model: 'test-model', tools: { add }, logger })
  const { agent, dispose } = agents.create({ id: 'a', onUpdate: (update) => updates.push(update) })
  const end = (): TurnEndReason => {
    const last = agent.session.events.at(-1)!
    if (last.type !== 'turn/end') throw new Error(`The log ends with ${last.type}.`)
    return last.reason
  }
  /** Everything that an agent lets out. */
  const said = () => JSON.stringify([agent.session, updates, logger.lines])
  return { agent, dispose, updates, end, said, requests: server.requests }
}

describe('a model behind HTTP', () => {
  it('G9: streams its answer and its token counts', async () => {
    const { agent, updates, requests, said } = await agentOn({
      stream: [{ reasoning: 'hm' }, { text: 'Hel' }, { text: 'lo' }, { finish: 'stop' }],
    })
    expect(await ask(agent, 'go')).toEqual(['turn 1', 'user "go"', 'assistant "Hello"', 'end 1 completed'])
    expect(updates).toEqual([
      { type: 'thought', text: 'hm', messageId: '1.1' },
      { type: 'text', text: 'Hel', messageId: '1.1' },
      { type: 'text', text: 'lo', messageId: '1.1' },
      { type: 'usage', usage: { inputTokens: 11, outputTokens: 7, totalTokens: 18, reasoningTokens: 0, cachedInputTokens: 0 } },
    ])
    expect([requests[0]!.path, requests[0]!.headers.authorization, said().includes(apiKey)]).toEqual([
      '/v1/chat/completions',
      `Bearer ${apiKey}`,
      false,
    ])
  })

  it('G10: tool calls make the round trip', async () => {
    const calls = [
      { id: 'c1', name: 'add', arguments: '{"x":1}' },
      { id: 'c2', name: 'add', arguments: '{"x":"one"}' },
    ]
    const { agent, requests } = await agentOn(
      { stream: [{ text: 'adding' }, { toolCalls: calls }, { finish: 'tool_calls' }] },
      { stream: [{ text: 'two' }, { finish: 'stop' }] },
    )
    const log = await ask(agent, 'go')
    expect(log.slice(2, 6)).toEqual(['assistant "adding"', 'call add {"x":1}', 'call add {"x":"one"}', 'result add ok 2'])
    expect(log.slice(-2)).toEqual(['assistant "two"', 'end 1 completed'])
    expect(requests[1]!.body.messages).toEqual([
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: 'adding',
        tool_calls: calls.map(({ id, name, arguments: json }) => ({ id, type: 'function', function: { name, arguments: json } })),
      },
      { role: 'tool', tool_call_id: 'c1', content: '2' },
      { role: 'tool', tool_call_id: 'c2', content: expect.stringContaining('expected number') },
    ])
    expect(requests[0]!.body.tools).toMatchObject([
      { function: { name: 'add', description: 'Adds one.', parameters: { properties: { x: { type: 'number' } } } } },
    ])
  })

  it('G5: a cancel in the middle of a slow answer keeps the text so far, and the server sees the connection close', async () => {
    const never = gate()
    const { agent, updates, requests } = await agentOn({
      stream: [{ text: 'so far' }, never.opened, { text: ' never' }, { finish: 'stop' }],
    })
    agent.send('go')
    await vi.waitFor(() => expect(updates.length).toBe(1))
    agent.cancel('enough')
    await agent.whenIdle()
    expect(lines(agent.session)).toEqual(['turn 1', 'user "go"', 'assistant "so far"', 'end 1 aborted {"reason":"enough"}'])
    expect(await requests[0]!.closed).toBe(false)
    expect(agent.droppedLateResults).toBe(0)
    never.open()
  })

  it('a dispose before the first byte closes the connection too', async () => {
    const never = gate()
    const { agent, dispose, requests } = await agentOn({ stream: [never.opened, { text: 'never' }] })
    agent.send('go')
    await vi.waitFor(() => expect(requests.length).toBe(1))
    await dispose()
    expect([lines(agent.session).at(-1), await requests[0]!.closed]).toEqual(['end 1 disposed', false])
    never.open()
  })
})

describe('G12: how a model fails, told apart', () => {
  it('401: not retried, and the key that the server quotes goes nowhere', async () => {
    const { agent, end, said, requests } = await agentOn({
      status: 401,
      message: `Incorrect API key provided: ${apiKey}. You can find yours at http://x/`,
    })
    await ask(agent, 'go')
    expect(end()).toEqual({
      kind: 'error',
      message: 'local.chat refused the credentials (HTTP 401).',
      provider: 'local.chat',
      retryable: false,
      status: 401,
    })
    expect([requests.length, said().includes(apiKey), JSON.stringify(requests[0]!.headers).includes(apiKey)]).toEqual([1, false, true])
  })

  it('500: retried twice, then an error that counts the tries', async () => {
    const failing: Answer = { status: 500, message: 'overloaded, key sk-abcdef123456 and the rest', headers: retryAtOnce }
    const { agent, end, said, requests } = await agentOn(failing, failing, failing)
    await ask(agent, 'go')
    expect(end()).toEqual({
      kind: 'error',
      message: 'local.chat failed (HTTP 500): overloaded, key [redacted] and the rest. Tried 3 times.',
      provider: 'local.chat',
      retryable: true,
      status: 500,
    })
    expect([requests.length, said().includes('sk-abc')]).toEqual([3, false])
  })

  it('500, then an answer: the turn completes as if nothing had been', async () => {
    const { agent, requests } = await agentOn({ status: 503, headers: retryAtOnce }, { stream: [{ text: 'ok' }, { finish: 'stop' }] })
    expect(await ask(agent, 'go')).toEqual(['turn 1', 'user "go"', 'assistant "ok"', 'end 1 completed'])
    expect(requests.length).toBe(2)
  })

  it('400: not retried; neither the request nor the body is in the message', async () => {
    const { agent, end, said, requests } = await agentOn({
      status: 400,
      body: JSON.stringify({ error: { message: 'context is too long' }, echo: 'BODY' }),
    })
    await ask(agent, 'go')
    expect(end()).toEqual({
      kind: 'error',
      message: 'local.chat refused the call (HTTP 400): context is too long.',
      provider: 'local.chat',
      retryable: false,
      status: 400,
    })
    expect([requests.length, said().includes('BODY'), said().includes('127.0.0.1')]).toEqual([1, false, false])
  })

  it('429 is a rate limit', async () => {
    const limited: Answer = { status: 429, message: 'slow down', headers: retryAtOnce }
    const { agent, end } = await agentOn(limited, limited, limited)
    await ask(agent, 'go')
    expect(end()).toMatchObject({
      message: 'local.chat is limiting the rate (HTTP 429): slow down. Tried 3 times.',
      status: 429,
      retryable: true,
    })
  })

  it('a connection dropped before an answer', async () => {
    server = await openAIServer({ drop: [] })
    const provider = createOpenAICompatible({ name: 'local', baseURL: server.baseURL, apiKey })
    const { agent } = createAgents({ model: provider('m'), maxRetries: 0, logger: memoryLogger() }).create()
    await ask(agent, 'go')
    expect(agent.session.events.at(-1)).toMatchObject({
      reason: {
        kind: 'error',
        message: expect.stringMatching(/^The connection to local\.chat was dropped before an answer \((UND_ERR_SOCKET|ECONNRESET)\)\./),
        retryable: true,
      },
    })
  })

  it('a server that is not there', async () => {
    const gone = await openAIServer()
    await gone.close()
    const provider = createOpenAICompatible({ name: 'local', baseURL: gone.baseURL, apiKey })
    const { agent } = createAgents({ model: provider('m'), maxRetries: 0, logger: memoryLogger() }).create()
    await ask(agent, 'go')
    expect(agent.session.events.at(-1)).toMatchObject({
      reason: { kind: 'error', message: 'local.chat cannot be reached (ECONNREFUSED).', retryable: true },
    })
  })

  it('a connection dropped in the middle of the answer: the text so far is kept', async () => {
    const { agent, end } = await agentOn({ drop: [{ text: 'so ' }, { text: 'far' }] })
    expect((await ask(agent, 'go')).slice(2, 3)).toEqual(['assistant "so far"'])
    expect(end()).toEqual({
      kind: 'error',
      message: expect.stringMatching(
        /^The connection to local\.chat was dropped in the middle of the answer \((UND_ERR_SOCKET|ECONNRESET)\)\.$/,
      ),
      provider: 'local.chat',
      retryable: true,
    })
  })

  it('a connection dropped in the middle of a tool call: nothing is run, and the log can be sent again', async () => {
    const { agent, requests } = await agentOn(
      { drop: [{ text: 'adding' }, { toolCalls: [{ id: 'c1', name: 'add', arguments: '{"x":1}' }] }] },
      { stream: [{ text: 'ok' }, { finish: 'stop' }] },
    )
    // This provider hands on a call only when the stream has ended.
    expect((await ask(agent, 'go')).slice(2, -1)).toEqual(['assistant "adding"'])
    await ask(agent, 'again')
    expect(requests[1]!.body.messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'user'])
  })

  it('a stream that cannot be read: what it was is not quoted, the text so far is kept', async () => {
    const { agent, end, said } = await agentOn({ stream: [{ text: 'so far' }, { raw: '{"SECRET": not json' }, { finish: 'stop' }] })
    expect((await ask(agent, 'go'))[2]).toBe('assistant "so far"')
    expect(end()).toEqual({
      kind: 'error',
      message: 'local.chat sent an answer that cannot be read (malformed stream).',
      provider: 'local.chat',
      retryable: false,
    })
    expect(said().includes('SECRET')).toBe(false)
  })

  it('an error inside the stream', async () => {
    const { agent, end } = await agentOn({
      stream: [{ text: 'so far' }, { raw: JSON.stringify({ error: { message: 'the backend died', type: 'server_error' } }) }],
    })
    await ask(agent, 'go')
    expect(end()).toMatchObject({ kind: 'error', message: expect.stringContaining('the backend died'), provider: 'local.chat' })
  })

  it('an answer that just ends, and an empty one, are errors', async () => {
    const cut = await agentOn({ stream: [{ text: 'half a' }], cut: true })
    expect((await ask(cut.agent, 'go'))[2]).toBe('assistant "half a"')
    expect(cut.end()).toMatchObject({
      kind: 'error',
      message: 'local.chat broke off its answer: Response stream ended without a finish reason.',
      retryable: true,
    })
    await server!.close()
    const empty = await agentOn({ stream: [], cut: true })
    await ask(empty.agent, 'go')
    expect(empty.end()).toMatchObject({
      kind: 'error',
      message: 'local.chat broke off its answer: Response stream ended without a finish reason.',
    })
  })

  it('a finish reason that is not known is an error that names it', async () => {
    const { agent, end } = await agentOn({ stream: [{ text: 'so far' }, { finish: 'insufficient_system_resource' }] })
    await ask(agent, 'go')
    expect(end()).toMatchObject({
      kind: 'error',
      message: 'local.chat ended its answer for a reason that is not known: insufficient_system_resource.',
    })
  })
})
