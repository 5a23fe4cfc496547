import { describe, expect, it } from 'vitest'
import { rootAgent } from '../../../src/index.ts'
import type { ContentBlock } from '../../../src/index.ts'
import { deferred } from '../../../src/run/deferred.ts'
import { textOf, until } from '../collect.ts'
import { received, setUp, stateOf } from './memory-agent.ts'
import type { MemoryAgent, Message, Script } from './memory-agent.ts'

const end = ({ id }: Message, agent: MemoryAgent, stopReason: unknown = 'end_turn'): void => agent.send({ id, result: { stopReason } })
/** A prompt that is answered after `work`. */
const turn = (work: (agent: MemoryAgent) => void, stopReason?: unknown): Script => ({
  'session/prompt': (message, agent) => {
    work(agent)
    end(message, agent, stopReason)
  },
})
const hanging: Script = { 'session/prompt': (_, agent) => agent.text('half') }
const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('the prompt', () => {
  const image: ContentBlock = { type: 'image', data: 'AAAA', mimeType: 'image/png' }
  const prompt: ContentBlock[] = [{ type: 'text', text: 'look' }, image, { type: 'resource', resource: { uri: 'file:///a', text: 'a' } }]
  const able = (promptCapabilities: object): Script => ({
    initialize: ({ id }, agent) => agent.send({ id, result: { protocolVersion: 1, agentCapabilities: { promptCapabilities } } }),
  })

  it('A4: blocks that the agent does not take fail the run by their names; nothing of the prompt is sent', async () => {
    const { agents, start } = setUp(able({ image: true }))
    const { failure, stopReason } = await start({ prompt }).result
    expect(stopReason).toBe('error')
    expect(failure).toMatchObject({ code: 'UNSUPPORTED_CAPABILITY', phase: 'starting' })
    expect(failure?.message).toContain('does not take prompt[2] (resource, wants promptCapabilities.embeddedContext).')
    expect(agents[0]!.got('session/new')).toBeUndefined()
  })

  it('A4: what the agent takes is sent as it is; text and links go to every agent', async () => {
    const { agents, start } = setUp(able({ image: true, embeddedContext: true }))
    await start({ prompt }).result
    expect(agents[0]!.got('session/prompt')?.params.prompt).toEqual(prompt)
    const links: ContentBlock[] = [{ type: 'resource_link', uri: 'file:///a', name: 'a' }]
    const plain = setUp()
    expect((await plain.start({ prompt: links }).result).stopReason).toBe('completed')
  })
})

describe('the working directory', () => {
  it("A5: is the option, else the parent session's, and never the server's own", async () => {
    const { agents, start } = setUp({}, { cwd: '/usr' })
    await start({ parent: rootAgent() }).result
    expect([agents[0]!.options.cwd, agents[0]!.got('session/new')?.params.cwd]).toEqual(['/usr', '/usr'])
    const inherits = setUp()
    await inherits.start({ parent: rootAgent({ cwd: '/tmp' }) }).result
    expect(inherits.agents[0]!.options.cwd).toBe('/tmp')
    expect(() => inherits.start({ parent: rootAgent() })).toThrow('The child has no working directory')
  })

  it('A5: what is no directory that can be entered is refused where start() stands, with nothing spawned', () => {
    const { agents, start } = setUp()
    for (const [cwd, why] of [
      ['relative/path', 'absolute path'],
      ['/nowhere/at/all', 'that can be entered: there is no such file or directory.'],
      ['/etc/hostname', 'that can be entered: it is no directory.'],
    ] as const)
      expect(() => start({ parent: rootAgent({ cwd }) })).toThrow(why)
    expect(agents).toEqual([])
  })
})

describe('what crosses', () => {
  it('A6, A15, A21: depth, limit and lineage, in the environment and in _meta; of the environment what is allowed and what was given', async () => {
    process.env.MY_SECRET_KEY = 'not for children'
    try {
      const { agents, start } = setUp({}, { honoursDepth: true, env: { GIVEN: 'yes' } })
      const run = start({ maxDepth: 4, parent: rootAgent({ cwd: '/', id: 'boss', depth: 2 }) })
      await run.result
      const { env } = agents[0]!.options
      expect(env).toMatchObject({
        SUBAGENT_DEPTH: '3',
        SUBAGENT_MAX_DEPTH: '4',
        SUBAGENT_LINEAGE: '["boss"]',
        GIVEN: 'yes',
        PATH: process.env.PATH,
      })
      expect(env.MY_SECRET_KEY).toBeUndefined()
      expect(agents[0]!.got('session/new')?.params._meta).toEqual({
        'xstate-subagents': { runId: run.runId, depth: 3, maxDepth: 4, lineage: ['boss'] },
      })
    } finally {
      delete process.env.MY_SECRET_KEY
    }
  })

  it('A15: persona and tool filter go where the agent enforces them', async () => {
    const { agents, start } = setUp(
      {},
      {
        enforces: {
          persona: (systemPrompt) => ({ systemPrompt }),
          toolFilter: ({ deny }) => ({ claudeCode: { options: { disallowedTools: deny } } }),
        },
      },
    )
    await start({ persona: 'You are terse.', toolFilter: { deny: ['Bash'] } }).result
    expect(agents[0]!.got('session/new')?.params._meta).toMatchObject({
      systemPrompt: 'You are terse.',
      claudeCode: { options: { disallowedTools: ['Bash'] } },
      'xstate-subagents': { depth: 1 },
    })
    expect(() => setUp().start({ persona: 'You are terse.' })).toThrow('cannot honour persona')
  })
})

describe('text', () => {
  it('A9: is grouped by message: by its id, else until something else comes between', async () => {
    const { start } = setUp(
      turn((agent) => {
        agent.text('I will ')
        agent.text('look.')
        agent.update({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'read' })
        agent.text('Now ')
        agent.text('done.')
        agent.text('A', { messageId: 'a' })
        agent.text('B', { messageId: 'b' })
        agent.text('b', { messageId: 'b' })
      }),
    )
    const { output } = await start().result
    expect(output.map((block) => block.type === 'text' && block.text)).toEqual(['I will look.', 'Now done.', 'A', 'Bb'])
  })

  it('A9: thoughts, plans, tool calls and usage are updates, not output', async () => {
    const { start, updates } = setUp({
      'session/prompt': ({ id }, agent) => {
        agent.update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'hm' } })
        agent.update({ sessionUpdate: 'plan', entries: [{ content: 'look', status: 'pending', priority: 'high' }] })
        agent.update({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'Read a', kind: 'read', rawInput: { path: 'a' } })
        agent.update({ sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'in_progress' })
        agent.update({ sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'completed' })
        agent.update({ sessionUpdate: 'tool_call_update', toolCallId: 'u', title: 'Write', status: 'failed' })
        agent.update({ sessionUpdate: 'usage_update', used: 12, size: 100 })
        agent.text('answer')
        agent.send({ id, result: { stopReason: 'end_turn', usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 } } })
      },
    })
    const { output, usage } = await start().result
    expect(output).toEqual([{ type: 'text', text: 'answer' }])
    expect(usage).toEqual({ inputTokens: 3, outputTokens: 4, totalTokens: 7 })
    expect(updates.map(({ runId: _, seq: _seq, at: _at, ...update }) => update)).toEqual([
      { type: 'ready' },
      { type: 'thought', text: 'hm' },
      { type: 'plan', entries: [{ content: 'look', status: 'pending', priority: 'high' }] },
      { type: 'tool-call', toolCallId: 't', name: 'Read a', input: { path: 'a' } },
      { type: 'tool-result', toolCallId: 't', status: 'ok' },
      { type: 'tool-call', toolCallId: 'u', name: 'Write' },
      { type: 'tool-result', toolCallId: 'u', status: 'error' },
      { type: 'usage', usage: { totalTokens: 12 } },
      { type: 'text', text: 'answer' },
      { type: 'usage', usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 } },
    ])
  })

  it('A9: what comes before the answer to session/new is kept for it; what is for another session is never mixed in', async () => {
    const { logger, start } = setUp({
      'session/new': ({ id }, agent) => {
        agent.text('early ')
        agent.update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'foreign' } }, 'other')
        agent.send({ id, result: { sessionId: 's' } })
      },
      'session/prompt': (message, agent) => {
        agent.update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'foreign' } }, 'other')
        agent.text('late')
        end(message, agent)
      },
    })
    const run = start()
    expect(textOf(await run.result)).toBe('early late')
    await run.dispose()
    expect(logger.warnings).toEqual([expect.stringContaining('sent 2 updates for other sessions')])
  })

  it('A9: what comes within 100 ms of the answer still belongs to the result', async () => {
    const { agents, clock, start } = setUp(
      turn((agent) => agent.text('first ')),
      { drainMs: undefined as never },
    )
    const run = start()
    await received(agents, 'session/prompt')
    await until(() => clock.pending > 0)
    clock.advance(99)
    agents[0]!.text('last')
    await soon()
    expect(stateOf(run)).toEqual({ running: 'active' })
    clock.advance(1)
    expect(textOf(await run.result)).toBe('first last')
  })

  it('A9: a flood of chunks is bounded: the end is kept, and what was dropped is counted', async () => {
    const chunk = 'x'.repeat(1024 * 1024)
    const { start } = setUp(
      turn((agent) => {
        for (let each = 0; each < 12; each++) agent.text(chunk)
        agent.text('the end')
      }),
    )
    const { output, diagnostic } = await start().result
    const text = textOf({ output })
    expect(text.length).toBeLessThan(8 * 1024 * 1024)
    expect(text.endsWith('the end')).toBe(true)
    expect(diagnostic).toMatch(/^The first \d{7} characters of its text were dropped/)
  })
})

describe('how a turn ends', () => {
  it('A10: each stop reason of the protocol has its own', async () => {
    const ends: unknown[] = []
    for (const reason of ['end_turn', 'max_tokens', 'refusal', 'cancelled', 'max_turn_requests', 'nobody_knows', 7, null]) {
      const { stopReason, failure, output } = await setUp(turn((agent) => agent.text('text'), reason)).start().result
      ends.push([reason, stopReason, failure?.code])
      expect(textOf({ output })).toBe('text')
    }
    expect(ends).toEqual([
      ['end_turn', 'completed', undefined],
      ['max_tokens', 'max-tokens', undefined],
      ['refusal', 'refusal', undefined],
      ['cancelled', 'aborted', undefined],
      ['max_turn_requests', 'error', 'MAX_STEPS'],
      ['nobody_knows', 'error', 'PROTOCOL'],
      [7, 'error', 'PROTOCOL'],
      [null, 'error', 'PROTOCOL'],
    ])
  })

  it('A10: an answer that is none is an error; so is an error of the agent, whose words are kept', async () => {
    for (const result of [null, 'done', []]) {
      const { failure } = await setUp({ 'session/prompt': ({ id }, agent) => agent.send({ id, result }) }).start().result
      expect(failure?.code).toBe('PROTOCOL')
    }
    const failing = setUp({
      'session/prompt': ({ id }, agent) => agent.send({ id, error: { code: -32603, message: 'the model is down' } }),
    })
    expect((await failing.start().result).failure).toMatchObject({ code: 'MODEL_ERROR', phase: 'running', retryable: true })
    const odd = setUp({ 'session/prompt': ({ id }, agent) => agent.send({ id, error: 'it broke' }) })
    expect((await odd.start().result).failure?.message).toContain('it broke')
  })

  it('A10: a turn without any text is completed, and the diagnostic says so', async () => {
    expect(await setUp().start().result).toEqual({
      output: [],
      stopReason: 'completed',
      sessionId: 's',
      diagnostic: 'The agent ended its turn without any text.',
    })
  })
})

describe('cancel', () => {
  it('A11: after a cancel every ending is aborted, and the text is kept, late text too', async () => {
    const endings: readonly ((message: Message, agent: MemoryAgent) => void)[] = [
      (message, agent) => end(message, agent, 'cancelled'),
      (message, agent) => end(message, agent),
      ({ id }, agent) => agent.send({ id, error: { code: -32603, message: 'cancelled' } }),
      ({ id }, agent) => agent.send({ id, result: null }),
      (_, agent) => agent.exit({ code: 1 }),
    ]
    for (const ending of endings) {
      const { agents, start } = setUp({
        ...hanging,
        'session/cancel': (_, agent) => {
          agent.text(' and more')
          ending(agent.got('session/prompt')!, agent)
        },
      })
      const run = start()
      await received(agents, 'session/prompt')
      await soon()
      run.cancel('enough')
      const { stopReason, output } = await run.result
      expect([stopReason, textOf({ output })]).toEqual(['aborted', 'half and more'])
      await run.dispose()
    }
  })

  it('A11: before the session is there, the prompt is never sent, and the run ends at once', async () => {
    const { agents, start } = setUp({ 'session/new': () => {} })
    const run = start()
    const { id } = await received(agents, 'session/new')
    run.cancel('enough')
    expect(await run.result).toEqual({ output: [], stopReason: 'aborted' })
    agents[0]!.send({ id, result: { sessionId: 's' } })
    await soon()
    await soon()
    expect(agents[0]!.received.map(({ method }) => method)).toEqual(['initialize', 'session/new'])
    await run.dispose()
    expect(agents[0]!.isClosed).toBe(true)
  })

  it('A11, A13: questions that are open are answered first, then the cancel goes out', async () => {
    const { agents, start } = setUp(
      {
        'session/prompt': (_, agent) =>
          agent.send({
            id: 'q',
            method: 'session/request_permission',
            params: { sessionId: 's', toolCall: { toolCallId: 't' }, options: [] },
          }),
        'session/cancel': (_, agent) => end(agent.got('session/prompt')!, agent, 'cancelled'),
      },
      { permission: () => new Promise(() => {}) },
    )
    const run = start()
    await received(agents, 'session/prompt')
    await until(() => JSON.stringify(stateOf(run)) === '{"running":"awaitingPermission"}')
    run.cancel('enough')
    expect((await run.result).stopReason).toBe('aborted')
    expect(agents[0]!.received.slice(3)).toMatchObject([
      { id: 'q', result: { outcome: { outcome: 'cancelled' } } },
      { method: 'session/cancel' },
    ])
    await run.dispose()
  })

  it('A19: disposing in mid-turn cancels it first, and waits no longer than 2 s for its end', async () => {
    const { agents, clock, start } = setUp(hanging)
    const run = start({ cancelGraceMs: 1 })
    await received(agents, 'session/prompt')
    const disposed = run.dispose()
    await soon()
    clock.advance(1)
    await soon()
    expect(agents[0]!.got('session/cancel')).toBeDefined()
    expect(agents[0]!.isClosed).toBe(false)
    clock.advance(2_000)
    await disposed
    expect(agents[0]!.isClosed).toBe(true)
    expect((await run.result).failure?.code).toBe('DEAF')
  })
})

describe('the end of the process', () => {
  it('A12: one that ends in mid-prompt settles the run at once, with text, exit and stderr, and never as a success', async () => {
    for (const [code, signal, words] of [
      [0, null, 'ended with exit code 0'],
      [7, null, 'ended with exit code 7'],
      [null, 'SIGKILL', 'was ended by SIGKILL'],
    ] as const) {
      const { start } = setUp({
        'session/prompt': (_, agent) => {
          agent.text('half')
          agent.stderr = 'out of memory'
          agent.exit({ code, signal })
        },
      })
      const { stopReason, failure, diagnostic, output } = await start().result
      expect([stopReason, failure?.code, failure?.phase, textOf({ output })]).toEqual(['error', 'CRASHED', 'running', 'half'])
      expect(diagnostic).toBe(`The agent agent ${words}.\nThe end of its stderr:\nout of memory`)
    }
  })

  it('A12: an answer and the end in one breath is the answer', async () => {
    const { start } = setUp({
      'session/prompt': (message, agent) => {
        agent.text('whole')
        end(message, agent)
        agent.exit({ code: 0 })
      },
    })
    expect(await start().result).toMatchObject({ stopReason: 'completed', output: [{ type: 'text', text: 'whole' }] })
  })

  it('A12: a silent agent is given up after idleTimeoutMs; each message gives it that time again', async () => {
    const { agents, clock, start } = setUp(hanging, { idleTimeoutMs: 1_000 })
    const run = start()
    await received(agents, 'session/prompt')
    await soon()
    clock.advance(900)
    agents[0]!.text(' more')
    await soon()
    clock.advance(999)
    await soon()
    expect(stateOf(run)).toEqual({ running: 'active' })
    clock.advance(1)
    const { failure, output } = await run.result
    expect([failure?.code, textOf({ output })]).toEqual(['IDLE_TIMEOUT', 'half more'])
    clock.advance(2_000)
    await until(() => agents[0]!.isClosed)
  })

  it('A3: a line over the cap, or noise without end, fails the run as PROTOCOL, with its text', async () => {
    const { start } = setUp({
      'session/prompt': (_, agent) => {
        agent.text('half')
        agent.raw('noise\n'.repeat(300_000))
      },
    })
    const { failure, output } = await start().result
    expect([failure?.code, textOf({ output })]).toEqual(['PROTOCOL', 'half'])
    expect(failure?.message).toContain('bytes that are no messages')
  })

  it('A12, A23: the end of a process is the cause also where this process was busy for longer than it is waited for', async () => {
    const { start, agents, clock } = setUp({
      'session/new': ({ id }, agent) => {
        agent.writeError = new Error('EPIPE')
        agent.send({ id, result: { sessionId: 's' } })
      },
    })
    const run = start()
    await until(() => JSON.stringify(stateOf(run)) === '{"running":"active"}' && clock.pending > 0)
    // Timers that are late come before the news of an end, however long that has been there.
    await turns(clock, 1, 5_000)
    agents[0]!.exit({ signal: 'SIGKILL' })
    expect((await run.result).failure).toMatchObject({ code: 'CRASHED', message: 'The agent agent was ended by SIGKILL.' })
  })

  it('A23: an agent that asks without end and reads no answer is not read either, until it does', async () => {
    const reading = deferred<void>()
    const asks = 5000
    const { start, agents } = setUp({
      'session/prompt': ({ id }, agent) => {
        agent.reads = reading.promise
        for (let n = 0; n < asks; n++) agent.send({ id: `ask-${n}`, method: 'not/known', params: {} })
        agent.send({ id, result: { stopReason: 'end_turn' } })
      },
    })
    const run = start()
    await until(() => agents[0]?.stdout.isPaused() === true)
    const { stdout } = agents[0]!
    expect(stdout.readableLength + stdout.writableLength).toBeGreaterThan(0)
    reading.resolve()
    expect((await run.result).stopReason).toBe('completed')
    await until(() => agents[0]!.received.filter(({ error }) => error?.code === -32601).length === asks)
  })

  it('A23: an agent that takes no more input fails in one way: by its end where it ends, else as PROTOCOL', async () => {
    const stuck = setUp({
      'session/new': ({ id }, agent) => {
        agent.writeError = new Error('it has read nothing for 30000 ms')
        agent.send({ id, result: { sessionId: 's' } })
      },
    })
    const run = stuck.start()
    await until(() => JSON.stringify(stateOf(run)) === '{"running":"active"}' && stuck.clock.pending > 0)
    await turns(stuck.clock, 5, 100)
    expect((await run.result).failure).toMatchObject({ code: 'PROTOCOL', message: 'The agent agent stopped reading what it is sent.' })

    const dying = setUp({
      'session/new': ({ id }, agent) => {
        agent.writeError = new Error('EPIPE')
        agent.send({ id, result: { sessionId: 's' } })
        setImmediate(() => agent.exit({ code: 9 }))
      },
    })
    expect((await dying.start().result).failure).toMatchObject({ code: 'CRASHED', message: 'The agent agent ended with exit code 9.' })
  })
})

/** Time that passes in turns of the event loop. */
async function turns(clock: { advance(ms: number): void }, count: number, ms: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) {
    clock.advance(ms)
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
}
