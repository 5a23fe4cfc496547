import { describe, expect, it, vi } from 'vitest'
import { until } from '../collect.ts'
import { received, setUp, stateOf } from './memory-agent.ts'
import type { MemoryAgent, Message, Script } from './memory-agent.ts'

describe('the handshake', () => {
  it('A7: initialize, session/new, prompt, in this order, with what is offered and nothing else', async () => {
    const { agents, start, updates } = setUp()
    const run = start()
    expect(stateOf(run)).toBe('starting')
    expect(await run.result).toMatchObject({ stopReason: 'completed', sessionId: 's' })
    expect(agents[0]!.received).toEqual([
      {
        jsonrpc: '2.0',
        id: 0,
        method: 'initialize',
        params: {
          protocolVersion: 1,
          clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
          clientInfo: { name: 'xstate-subagents', version: expect.any(String) },
        },
      },
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'session/new',
        params: { cwd: '/', mcpServers: [], _meta: { 'xstate-subagents': { runId: run.runId, depth: 1, lineage: ['root'] } } },
      },
      { jsonrpc: '2.0', id: 2, method: 'session/prompt', params: { sessionId: 's', prompt: [{ type: 'text', text: 'work' }] } },
    ])
    expect(updates.map(({ type }) => type)).toEqual(['ready'])
    await run.dispose()
    expect(agents[0]!.isClosed).toBe(true)
  })

  it('A7: any version but exactly 1, also as a string, and any answer that is none, fails the run and closes the process', async () => {
    for (const result of [{ protocolVersion: 2 }, { protocolVersion: '1' }, {}, null, 'yes', []]) {
      const { agents, start } = setUp({ initialize: ({ id }, agent) => agent.send({ id, result }) })
      const { stopReason, failure } = await start().result
      expect([stopReason, failure?.code, failure?.phase], JSON.stringify(result)).toEqual(['error', 'HANDSHAKE_FAILED', 'starting'])
      expect(failure?.message).toContain('initialize')
      await until(() => agents[0]!.isClosed)
      expect(agents[0]!.got('session/new')).toBeUndefined()
    }
  })

  it('A7: a session without an id is none', async () => {
    for (const result of [null, {}, { sessionId: 7 }, { sessionId: '' }]) {
      const { failure } = await setUp({ 'session/new': ({ id }, agent) => agent.send({ id, result }) }).start().result
      expect(failure).toMatchObject({ code: 'HANDSHAKE_FAILED', phase: 'starting', message: expect.stringContaining('session/new') })
    }
  })

  it('A7: each stage has its own time, and a failure names stage and command', async () => {
    for (const method of ['initialize', 'session/new']) {
      const { agents, clock, start } = setUp({ [method]: () => {} }, { args: ['--acp'], handshakeTimeoutMs: 1000 })
      const run = start()
      await received(agents, method)
      clock.advance(999)
      expect(stateOf(run)).toBe('starting')
      clock.advance(1)
      expect((await run.result).failure).toEqual({
        code: 'HANDSHAKE_FAILED',
        phase: 'starting',
        retryable: true,
        message: `The agent agent --acp did not answer ${method} within 1000 ms.`,
      })
      await until(() => agents[0]!.isClosed)
      await run.dispose()
      expect(clock.pending).toBe(0)
    }
  })

  it('A7: what the agent sends while its session opens gives it the whole time again; while it initialises it does not', async () => {
    const opening = setUp({ 'session/new': () => {} }, { handshakeTimeoutMs: 1000 })
    const run = opening.start()
    await received(opening.agents, 'session/new')
    for (let each = 0; each < 3; each++) {
      opening.clock.advance(900)
      opening.agents[0]!.text('connecting')
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(stateOf(run)).toBe('starting')
    opening.clock.advance(1000)
    expect((await run.result).failure?.code).toBe('HANDSHAKE_FAILED')

    const initialising = setUp({ initialize: () => {} }, { handshakeTimeoutMs: 1000 })
    const other = initialising.start()
    await received(initialising.agents, 'initialize')
    initialising.clock.advance(900)
    initialising.agents[0]!.text('hello')
    await new Promise((resolve) => setImmediate(resolve))
    initialising.clock.advance(100)
    expect((await other.result).failure?.code).toBe('HANDSHAKE_FAILED')
  })

  it('A7: an agent that ends in the middle fails at once, with its exit, its stage, and the end of its stderr', async () => {
    const { start } = setUp({
      'session/new': (_, agent) => {
        agent.stderr = 'first line\nError: no such model\n'
        agent.exit({ code: 3 })
      },
    })
    const { failure, diagnostic } = await start().result
    expect(failure).toMatchObject({ code: 'HANDSHAKE_FAILED', message: 'The agent agent ended with exit code 3. That was in session/new.' })
    expect(diagnostic).toBe(`${failure!.message}\nThe end of its stderr:\nfirst line\nError: no such model`)
  })

  it('A7, R14: no value of the environment and no key is in failure and diagnostic', async () => {
    const script: Script = {
      initialize: (_, agent) => {
        agent.stderr = `using ${agent.options.env.MY_SETTING} and sk-ant-REDACTED`
        agent.exit({ signal: 'SIGSEGV' })
      },
    }
    const { start } = setUp(script, { env: { MY_SETTING: 'hunter2 is the word' }, args: ['--word', 'hunter2 is the word'] })
    const { failure, diagnostic } = await start().result
    expect(diagnostic).toContain('was ended by SIGSEGV')
    expect(diagnostic).toContain('using [MY_SETTING] and [redacted]')
    expect(JSON.stringify([failure, diagnostic])).not.toContain('hunter2')
  })

  it('A3: what is no message on its stdout is told where the handshake fails', async () => {
    const { clock, agents, start } = setUp({ initialize: (_, agent) => agent.raw('Usage: agent [options]\n\nOptions:\n') })
    const run = start()
    await received(agents, 'initialize')
    await new Promise((resolve) => setImmediate(resolve))
    clock.advance(60_000)
    expect((await run.result).diagnostic).toContain('On stdout it wrote 2 lines that are no messages, the first: Usage: agent [options]')
  })

  it('A7: an error of the agent is told with its code', async () => {
    const { start } = setUp({ initialize: ({ id }, agent) => agent.send({ id, error: { code: -32603, message: 'no disk' } }) })
    expect((await start().result).failure).toMatchObject({
      code: 'HANDSHAKE_FAILED',
      message: 'The agent agent answered initialize with error -32603: no disk',
    })
  })

  for (const [kind, data] of Object.entries({
    'a string': 'disk full',
    details: { details: 'disk full' },
    'a message': { message: 'disk full', code: 7 },
  }))
    it(`A7, A10: what an error says in its data is in the diagnostic: ${kind}`, async () => {
      const answers = ({ id }: Message, agent: MemoryAgent): void =>
        agent.send({ id, error: { code: -32603, message: 'Internal error', data } })
      const message = 'with error -32603: Internal error\nIt adds: disk full'
      expect((await setUp({ initialize: answers }).start().result).diagnostic).toBe(`The agent agent answered initialize ${message}`)
      expect((await setUp({ 'session/prompt': answers }).start().result).diagnostic).toBe(`The agent agent answered the prompt ${message}`)
    })

  it('A7: data without words, or with those of the message, adds nothing', async () => {
    for (const data of [{ raw: [1, 2] }, 7, null, 'no disk', { details: '' }]) {
      const { start } = setUp({ initialize: ({ id }, agent) => agent.send({ id, error: { code: -32603, message: 'no disk', data } }) })
      expect((await start().result).diagnostic).toBe('The agent agent answered initialize with error -32603: no disk')
    }
  })
})

describe('a login', () => {
  const authMethods = [{ id: 'key', name: 'API key' }, { id: 'browser' }]
  const initialize: Script[string] = ({ id }, agent) => agent.send({ id, result: { protocolVersion: 1, authMethods } })
  const refuse: Script[string] = ({ id }, agent) => agent.send({ id, error: { code: -32000, message: 'Authentication required' } })

  it('A8: an agent that wants one fails the run, with the ways it knows; none is tried', async () => {
    const { agents, start } = setUp({ initialize, 'session/new': refuse })
    const { failure } = await start().result
    expect(failure).toMatchObject({ code: 'AUTH_REQUIRED', phase: 'starting', retryable: false })
    expect(failure?.message).toContain('"key" (API key), "browser"')
    expect(agents[0]!.got('authenticate')).toBeUndefined()
  })

  it('A8: the one that was set up is used, once, where the agent wants it', async () => {
    const script: Script = {
      initialize,
      'session/new': (message, agent) =>
        agent.got('authenticate') ? agent.send({ id: message.id, result: { sessionId: 's' } }) : refuse(message, agent),
      authenticate: ({ id }, agent) => agent.send({ id, result: {} }),
    }
    const { agents, start } = setUp(script, { authMethod: 'key' })
    expect((await start().result).stopReason).toBe('completed')
    expect(agents[0]!.received.map(({ method }) => method)).toEqual([
      'initialize',
      'session/new',
      'authenticate',
      'session/new',
      'session/prompt',
    ])
    expect(agents[0]!.got('authenticate')?.params).toEqual({ methodId: 'key' })

    const willing = setUp({ initialize }, { authMethod: 'key' })
    expect((await willing.start().result).stopReason).toBe('completed')
    expect(willing.agents[0]!.got('authenticate')).toBeUndefined()

    const stubborn = setUp({ ...script, 'session/new': refuse }, { authMethod: 'key' })
    expect((await stubborn.start().result).failure?.code).toBe('AUTH_REQUIRED')
    expect(stubborn.agents[0]!.received.filter(({ method }) => method === 'authenticate')).toHaveLength(1)
  })

  it('A8: one that the agent does not know fails the run by its name', async () => {
    const { agents, start } = setUp({ initialize, 'session/new': refuse }, { authMethod: 'token' })
    expect((await start().result).failure).toMatchObject({ code: 'AUTH_REQUIRED', message: expect.stringContaining('"token"') })
    expect(agents[0]!.got('authenticate')).toBeUndefined()
  })

  it('A8: one that is wanted at the prompt fails the run there', async () => {
    const { start } = setUp({ initialize, 'session/prompt': refuse })
    expect((await start().result).failure).toMatchObject({ code: 'AUTH_REQUIRED', phase: 'running' })
  })
})

describe('the peer', () => {
  it('A3: noise, answers that nobody waits for, batches and malformed updates are neither answered nor written to the console', async () => {
    const spies = (['error', 'warn', 'log', 'info'] as const).map((level) => vi.spyOn(console, level).mockImplementation(() => {}))
    const { agents, start } = setUp({
      'session/prompt': ({ id }, agent) => {
        agent.raw('noise\n[{"jsonrpc":"2.0","id":1,"method":"x"}]\n{"jsonrpc":"2.0","id":99,"result":{}}\n')
        agent.raw('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}\n')
        agent.raw('{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s"}}\n{"jsonrpc":"2.0","method":"session/update"}\n')
        agent.update({ sessionUpdate: 'agent_message_chunk' })
        agent.update({ sessionUpdate: 'tool_call' })
        agent.text('answer')
        agent.send({ id, result: { stopReason: 'end_turn' } })
      },
    })
    const { output } = await start().result
    expect(output).toEqual([{ type: 'text', text: 'answer' }])
    await new Promise((resolve) => setImmediate(resolve))
    expect(agents[0]!.received.map(({ method }) => method)).toEqual(['initialize', 'session/new', 'session/prompt'])
    for (const spy of spies) {
      expect(spy).not.toHaveBeenCalled()
      spy.mockRestore()
    }
  })

  it('A18: requests that are not known, files and terminals are refused at once with -32601', async () => {
    const asked = ['fs/read_text_file', 'fs/write_text_file', 'terminal/create', 'elicitation/create', '_vendor/ask']
    const { agents, start } = setUp({
      'session/prompt': ({ id }, agent) => {
        for (const [index, method] of asked.entries()) agent.send({ id: `a${index}`, method, params: {} })
        setImmediate(() => agent.send({ id, result: { stopReason: 'end_turn' } }))
      },
    })
    await start().result
    expect(agents[0]!.received.slice(3).map(({ id, error }) => [id, error.code])).toEqual(asked.map((_, index) => [`a${index}`, -32601]))
  })

  it('A18: notifications and updates that are not known are passed raw', async () => {
    const { start, updates } = setUp({
      'session/prompt': ({ id }, agent) => {
        agent.send({ method: '_auth/status', params: { ok: true } })
        agent.update({ sessionUpdate: 'mood', mood: 'good' })
        agent.send({ id, result: { stopReason: 'end_turn' } })
      },
    })
    await start().result
    expect(updates.slice(1).map((update) => (update.type === 'raw' ? update.raw : update.type))).toEqual([
      { method: '_auth/status', params: { ok: true } },
      { sessionUpdate: 'mood', mood: 'good' },
    ])
  })
})
