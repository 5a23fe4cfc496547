import { APICallError, jsonSchema, tool } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createAgents } from '../../src/agents/index.ts'
import type { AgentToolOptions } from '../../src/agents/index.ts'
import { scriptedModel } from '../../src/testing/scripted-model.ts'
import type { ScriptedStep } from '../../src/testing/scripted-model.ts'
import { ask, gate, lines, memoryLogger, settle, setUp } from './harness.ts'

const anything = jsonSchema({ type: 'object' })
const add = tool({ inputSchema: z.object({ x: z.number() }), execute: async ({ x }) => x + 1 })

type Scripted = ReturnType<typeof scriptedModel>
type Part = Awaited<ReturnType<Scripted['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never

/** The same model with another stream. */
const changed = (model: Scripted, transform: (part: Part, controller: TransformStreamDefaultController<Part>) => void) => ({
  ...model,
  doStream: async (options: Parameters<Scripted['doStream']>[0]) => {
    const { stream } = await model.doStream(options)
    return { stream: stream.pipeThrough(new TransformStream<Part, Part>({ transform })) }
  },
})

async function endOf(...script: ScriptedStep[]): Promise<string[]> {
  return ask(setUp({ model: scriptedModel(script) }).agent, 'go')
}

describe('the log of a turn', () => {
  it('G7: holds numbered, frozen, dated events under a header', async () => {
    const { agent } = setUp(
      { model: scriptedModel([{ text: 'adding', tools: [{ name: 'add', input: { x: 1 } }] }, 'it is 2']), tools: { add } },
      { cwd: '/tmp', parentSession: 'p', delegationDepth: 2 },
    )
    await ask(agent, 'go')
    const { header, events } = agent.session
    expect(header).toEqual({ version: 1, id: 'session', createdAt: 1000, cwd: '/tmp', parentSession: 'p', delegationDepth: 2 })
    expect(events).toEqual([
      { seq: 0, at: 1001, type: 'turn/start', turn: 1 },
      { seq: 1, at: 1002, type: 'user/message', content: [{ type: 'text', text: 'go' }] },
      {
        seq: 2,
        at: 1003,
        type: 'assistant/message',
        content: [{ type: 'text', text: 'adding' }],
        usage: { inputTokens: 1, outputTokens: 4, totalTokens: 5, reasoningTokens: 0, cachedInputTokens: 0 },
      },
      { seq: 3, at: 1004, type: 'tool/call', toolCallId: 'call-0-0', name: 'add', input: { x: 1 } },
      { seq: 4, at: 1005, type: 'tool/result', toolCallId: 'call-0-0', name: 'add', status: 'ok', output: 2 },
      {
        seq: 5,
        at: 1006,
        type: 'assistant/message',
        content: [{ type: 'text', text: 'it is 2' }],
        usage: { inputTokens: 10, outputTokens: 2, totalTokens: 12, reasoningTokens: 0, cachedInputTokens: 0 },
      },
      { seq: 6, at: 1007, type: 'turn/end', turn: 1, reason: { kind: 'completed' } },
    ])
    expect(JSON.parse(JSON.stringify(events))).toEqual(events)
    const frozen = (value: unknown): boolean =>
      typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(frozen))
    expect([frozen(events), frozen(header)]).toEqual([true, true])
  })

  it('G7: the next turn is sent all that went before, tool calls and results included', async () => {
    const model = scriptedModel([{ reasoning: 'hm', tools: [{ name: 'add', input: { x: 1 } }] }, 'it is 2', 'still 2'])
    const { agent } = setUp({ model, tools: { add }, system: 'Be brief.' })
    await ask(agent, 'go')
    await ask(agent, 'sure?')
    expect(model.calls[2]!.prompt).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'go' }] },
      // Reasoning goes back to the model that made it, though the log does not hold it.
      {
        role: 'assistant',
        content: [
          expect.objectContaining({ type: 'reasoning', text: 'hm' }),
          expect.objectContaining({ type: 'tool-call', toolCallId: 'call-0-0', toolName: 'add', input: { x: 1 } }),
        ],
      },
      {
        role: 'tool',
        content: [
          expect.objectContaining({ type: 'tool-result', toolCallId: 'call-0-0', toolName: 'add', output: { type: 'json', value: 2 } }),
        ],
      },
      { role: 'assistant', content: [expect.objectContaining({ type: 'text', text: 'it is 2' })] },
      { role: 'user', content: [{ type: 'text', text: 'sure?' }] },
    ])
  })

  it('G7: a turn of many steps sends each message once, to its own steps and to the next turn', async () => {
    const tools = [{ name: 'add', input: { x: 1 } }]
    const model = scriptedModel([{ tools }, { text: 'more', tools: [...tools, ...tools] }, { tools }, { finish: 'stop' }, 'ok'])
    const { agent } = setUp({ model, tools: { add } })
    await ask(agent, 'go')
    await ask(agent, 'again')
    const roles = model.calls.map(({ prompt }) => prompt.map(({ role }) => role[0]).join(''))
    expect(roles).toEqual(['u', 'uat', 'uatat', 'uatatat', 'uatatatu'])
    const results = model.calls[4]!.prompt.map(({ role, content }) => (role === 'tool' ? content.length : 0))
    expect(results).toEqual([0, 0, 1, 0, 2, 0, 1, 0])
  })

  it('a step without words still has its token counts in the log', async () => {
    const { agent } = setUp({ model: scriptedModel([{ tools: [{ name: 'add', input: { x: 1 } }] }, 'ok']), tools: { add } })
    await ask(agent, 'go')
    expect(agent.session.events[2]).toMatchObject({ type: 'assistant/message', content: [], usage: { outputTokens: 2 } })
  })
})

describe('how a turn ends', () => {
  it('G7: stop completes it, length, content-filter and error are what they are', async () => {
    expect(await endOf('fine')).toEqual(['turn 1', 'user "go"', 'assistant "fine"', 'end 1 completed'])
    expect(await endOf({ text: 'half', finish: 'length' })).toEqual(['turn 1', 'user "go"', 'assistant "half"', 'end 1 max-tokens'])
    expect(await endOf({ text: 'no', finish: 'content-filter' })).toEqual(['turn 1', 'user "go"', 'assistant "no"', 'end 1 refusal'])
    expect((await endOf({ text: 'oh', finish: 'error' })).at(-1)).toBe(
      'end 1 error {"message":"scripted ended its answer with an error.","provider":"scripted","retryable":true}',
    )
  })

  it('an answer that ends for a reason nobody knows is an error with its text kept, never a success', async () => {
    const message = (text: string) => `end 1 error ${JSON.stringify({ message: text, provider: 'scripted', retryable: true })}`
    expect((await endOf({ text: 'some', finish: 'other', rawFinish: 'pause_turn' })).slice(-2)).toEqual([
      'assistant "some"',
      message('scripted ended its answer for a reason that is not known: pause_turn.'),
    ])
    expect((await endOf({ finish: 'tool-calls' })).at(-1)).toBe(message('scripted said that it calls tools and called none.'))
  })

  it('an empty answer that ends by stop is a completed turn without a message of content', async () => {
    expect(await endOf({})).toEqual(['turn 1', 'user "go"', 'assistant ""', 'end 1 completed'])
  })

  it('G11: a turn may take 50 steps, then ends as max-steps with its text kept', async () => {
    const model = scriptedModel(() => ({ text: 'again', tools: [{ name: 'add', input: { x: 1 } }] }))
    const { agent } = setUp({ model, tools: { add } })
    const log = await ask(agent, 'go')
    expect([model.calls.length, log.at(-1), log.filter((line) => line === 'assistant "again"').length]).toEqual([50, 'end 1 max-steps', 50])
  })

  it("G11: the ceiling is the agent's, else the factory's; a model that stops right at it has completed", async () => {
    const loop: ScriptedStep = { tools: [{ name: 'add', input: { x: 1 } }] }
    for (const [own, ceiling] of [
      [2, 2],
      [undefined, 3],
    ] as const) {
      const model = scriptedModel(() => loop)
      const { agent } = setUp({ model, tools: { add }, maxSteps: 3 }, { options: { ...(own !== undefined && { maxSteps: own }) } })
      expect([(await ask(agent, 'go')).at(-1), model.calls.length]).toEqual(['end 1 max-steps', ceiling])
    }
    const { agent } = setUp({ model: scriptedModel([loop, 'done']), tools: { add }, maxSteps: 2 })
    expect((await ask(agent, 'go')).at(-1)).toBe('end 1 completed')
  })

  it('tools that were called in an answer that was cut off are not run, and the turn ends', async () => {
    const execute = vi.fn()
    const { agent } = setUp({
      model: scriptedModel([{ text: 'calling', finish: 'length', tools: [{ name: 'work' }, { name: 'work', rawInput: '{"cut' }] }]),
      tools: { work: tool({ inputSchema: anything, execute }) },
    })
    const log = await ask(agent, 'go')
    expect(log.slice(2, 6)).toEqual([
      'assistant "calling"',
      'call work {}',
      'call work "{\\"cut"',
      'result work error "Not executed: the answer that called it ended by length."',
    ])
    expect(log[6]).toMatch(/^result work error "Invalid input for tool work/)
    expect([log.at(-1), execute.mock.calls.length]).toEqual(['end 1 max-tokens', 0])
  })

  it('a call that was announced before the answer broke off is not run, and the log can be sent again', async () => {
    const model = scriptedModel([
      { text: 'adding', tools: [{ name: 'add', input: { x: 1 } }], error: { message: 'gone', status: 400 } },
      'ok',
    ])
    const { agent, updates } = setUp({ model, tools: { add } })
    const unanswered = 'Not executed: the answer that called it broke off.'
    expect((await ask(agent, 'go')).slice(2)).toEqual([
      'assistant "adding"',
      'call add {"x":1}',
      `result add error "${unanswered}"`,
      'end 1 error {"message":"scripted refused the call (HTTP 400): gone.","provider":"scripted","retryable":false,"status":400}',
    ])
    expect(updates.slice(1)).toEqual([
      { type: 'tool-call', toolCallId: 'call-0-0', name: 'add', input: { x: 1 } },
      { type: 'tool-result', toolCallId: 'call-0-0', status: 'error' },
    ])
    await ask(agent, 'again')
    expect(model.calls[1]!.prompt.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(model.calls[1]!.prompt[2]).toMatchObject({ content: [{ output: { type: 'error-text', value: unanswered } }] })
  })

  it('concludeWhen ends the turn after a step that called tools, without another call of the model', async () => {
    const model = scriptedModel([{ tools: [{ name: 'add', input: { x: 1 } }] }, { tools: [{ name: 'add', input: { x: 2 } }] }])
    let captured = 0
    const { agent } = setUp({ model, tools: { add } }, { concludeWhen: () => ++captured === 2 })
    expect((await ask(agent, 'go')).at(-1)).toBe('end 1 completed')
    expect([model.calls.length, captured]).toEqual([2, 2])
  })

  it('maxTokens bounds each call', async () => {
    const model = scriptedModel(['ok'])
    await ask(setUp({ model }, { options: { maxTokens: 77 } }).agent, 'go')
    expect(model.calls[0]!.options.maxOutputTokens).toBe(77)
  })

  it('a failing turn leaves the agent ready for the next', async () => {
    const { agent } = setUp({ model: scriptedModel([{ error: { message: 'bad', status: 400 } }, 'ok']) })
    await ask(agent, 'one')
    expect((await ask(agent, 'two')).slice(-3)).toEqual(['user "two"', 'assistant "ok"', 'end 2 completed'])
  })
})

describe('updates', () => {
  it('G9: deltas, tool calls, results and usage come in order while the turn runs', async () => {
    const model = scriptedModel([{ reasoning: ['h', 'm'], text: ['ad', 'ding'], tools: [{ name: 'add', input: { x: 1 } }] }, 'done'])
    const { agent, updates } = setUp({ model, tools: { add } })
    await ask(agent, 'go')
    const usage = (inputTokens: number, outputTokens: number, reasoningTokens: number) => ({
      type: 'usage',
      usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, reasoningTokens, cachedInputTokens: 0 },
    })
    expect(updates).toEqual([
      { type: 'thought', text: 'h', messageId: '1.1' },
      { type: 'thought', text: 'm', messageId: '1.1' },
      { type: 'text', text: 'ad', messageId: '1.1' },
      { type: 'text', text: 'ding', messageId: '1.1' },
      { type: 'tool-call', toolCallId: 'call-0-0', name: 'add', input: { x: 1 } },
      { type: 'tool-result', toolCallId: 'call-0-0', status: 'ok' },
      usage(1, 4, 1),
      { type: 'text', text: 'done', messageId: '1.2' },
      // The sum since the agent began to run.
      usage(12, 5, 1),
    ])
  })

  it('G9: a delta is heard before the next one exists', async () => {
    const { opened, open } = gate()
    async function* deltas() {
      yield 'first'
      await opened
      yield ' second'
    }
    const { agent, updates } = setUp({ model: scriptedModel([{ text: deltas() }]) })
    agent.send('go')
    await settle()
    expect(updates).toEqual([{ type: 'text', text: 'first', messageId: '1.1' }])
    open()
    await agent.whenIdle()
    expect(updates.filter(({ type }) => type === 'text').length).toBe(2)
  })

  it('G9: an onUpdate that throws or rejects is logged once a turn and changes nothing', async () => {
    for (const onUpdate of [
      () => {
        throw new Error('no thanks')
      },
      async () => {
        throw new Error('no thanks')
      },
    ]) {
      const { agent, logger } = setUp({ model: scriptedModel([{ text: ['a', 'b', 'c'] }, 'd']) }, { onUpdate })
      expect((await ask(agent, 'go')).at(-1)).toBe('end 1 completed')
      expect(logger.lines).toEqual(['warn: Agent agent: onUpdate threw: Error: no thanks'])
      await ask(agent, 'again')
      expect(logger.lines.length).toBe(2)
    }
  })
})

describe('tools', () => {
  const model = (...tools: { name: string; input?: unknown; rawInput?: string }[]) => scriptedModel([{ tools }, 'done'])

  it('G10: tools of one step run in parallel, and their results come in the order of the calls', async () => {
    const doors = { a: gate<string>(), b: gate<string>() }
    const started: string[] = []
    const make = (name: 'a' | 'b') => tool({ inputSchema: anything, execute: () => (started.push(name), doors[name].opened) })
    const { agent, updates } = setUp({ model: model({ name: 'a' }, { name: 'b' }), tools: { a: make('a'), b: make('b') } })
    agent.send('go')
    await settle()
    expect(started).toEqual(['a', 'b'])
    doors.b.open('B')
    await settle()
    expect(updates.filter(({ type }) => type === 'tool-result')).toEqual([{ type: 'tool-result', toolCallId: 'call-0-1', status: 'ok' }])
    doors.a.open('A')
    await agent.whenIdle()
    expect(lines(agent.session).slice(3, 7)).toEqual(['call a {}', 'call b {}', 'result a ok "A"', 'result b ok "B"'])
  })

  it('G10: a tool is told its call, the messages, the signal and the agent that calls', async () => {
    const seen: AgentToolOptions[] = []
    const { agent } = setUp({
      model: model({ name: 'look' }),
      tools: { look: tool({ inputSchema: anything, execute: async (_, options) => void seen.push(options as AgentToolOptions) }) },
    })
    await ask(agent, 'go')
    const [options] = seen
    expect(options!.agent).toBe(agent)
    expect([options!.toolCallId, options!.abortSignal!.aborted, options!.messages.map(({ role }) => role)]).toEqual([
      'call-0-0',
      false,
      ['user'],
    ])
    expect(lines(agent.session)[4]).toBe('result look ok null')
  })

  it('G10: a tool that throws, whatever it throws, becomes an error result that the model reads', async () => {
    const circular: { self?: unknown } = {}
    circular.self = circular
    const unreadable = Object.defineProperty(new Error('x'), 'message', {
      get: () => {
        throw new Error('never')
      },
    })
    for (const [thrown, output] of [
      [new Error('no luck'), 'no luck'],
      ['plain', 'plain'],
      [undefined, 'null'],
      [circular, '{"self":"[circular]"}'],
      [unreadable, 'The tool threw an error whose message cannot be read.'],
    ] as const) {
      for (const execute of [
        async (): Promise<string> => {
          throw thrown
        },
        (): string => {
          throw thrown
        },
      ]) {
        const scripted = model({ name: 'bad' })
        const { agent } = setUp({ model: scripted, tools: { bad: tool({ inputSchema: anything, execute }) } })
        const log = await ask(agent, 'go')
        expect([log[4], log.at(-1)]).toEqual([`result bad error ${JSON.stringify(output)}`, 'end 1 completed'])
        // Version 7 of the AI SDK says as well that it is an error.
        const value = expect.toSatisfy((said: string) => said.replace(/^Error: /, '') === output)
        expect(scripted.calls[1]!.prompt.at(-1)).toMatchObject({ content: [{ output: { type: 'error-text', value } }] })
      }
    }
  })

  it('G10: an unknown tool and arguments that do not fit go back to the model as errors, and the turn goes on', async () => {
    const { agent } = setUp({
      model: model({ name: 'nope' }, { name: 'add', input: { x: 'one' } }, { name: 'add', rawInput: 'not json' }),
      tools: { add },
    })
    const log = await ask(agent, 'go')
    expect(log.slice(3, 6)).toEqual(['call nope {}', 'call add {"x":"one"}', 'call add "not json"'])
    expect(log[6]).toMatch(
      /^result nope error "(AI_NoSuchToolError: )?Model tried to call unavailable tool 'nope'. Available tools: add."$/,
    )
    expect(log[7]).toMatch(/^result add error "Invalid input for tool add.*expected number, received string/s)
    expect(log[8]).toMatch(/^result add error "Invalid input for tool add.*JSON parsing failed/s)
    expect(log.at(-1)).toBe('end 1 completed')
  })

  it('G10: arguments that are nested too deep for any stack are an error that the model can repair; brackets in a text are no levels', async () => {
    const seen: unknown[] = []
    const open = tool({ inputSchema: anything, execute: (input) => void seen.push(input) })
    const nested = (levels: number) => `{"list":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
    const text = { text: `\\"${'[{'.repeat(5000)}` }
    const calls = [nested(1001), nested(100_000), nested(1000), JSON.stringify(text)].map((rawInput) => ({ name: 'open', rawInput }))
    const scripted = model(...calls)
    const { agent } = setUp({ model: scripted, tools: { open } })
    const log = await ask(agent, 'go')
    const refused = expect.stringMatching(/^result open error "Invalid input for tool open.*nested more than 1000 levels deep/s)
    expect(log.slice(7)).toEqual([refused, refused, 'result open ok null', 'result open ok null', 'assistant "done"', 'end 1 completed'])
    expect(seen).toEqual([JSON.parse(nested(1000)), text])
    expect(JSON.stringify(scripted.calls[1]!.prompt)).toContain('Call the tool with flatter ones.')
  })

  it('G10: what the filter hides is neither shown nor executable', async () => {
    const execute = vi.fn()
    const secret = tool({ inputSchema: anything, execute })
    const scripted = model({ name: 'secret' }, { name: 'add', input: { x: 1 } })
    const { agent } = setUp({ model: scripted, tools: { add, secret } }, { toolFilter: { deny: ['secret'] } })
    const log = await ask(agent, 'go')
    expect([scripted.calls[0]!.tools, execute.mock.calls.length]).toEqual([['add'], 0])
    expect(log.slice(5, 7)).toEqual([
      expect.stringMatching(
        /^result secret error "(AI_NoSuchToolError: )?Model tried to call unavailable tool 'secret'. Available tools: add."$/,
      ),
      'result add ok 2',
    ])
  })

  it('what a tool gives back that is no JSON is converted visibly, in the log and for the model', async () => {
    const scripted = model({ name: 'odd' })
    const { agent } = setUp({
      model: scripted,
      tools: {
        odd: tool({
          inputSchema: anything,
          execute: async () => ({ big: 10n, when: new Date(0), nothing: undefined, fn: () => {}, set: new Set([1]), not: NaN }),
        }),
      },
    })
    const log = await ask(agent, 'go')
    const json = { big: '10n', when: '1970-01-01T00:00:00.000Z', fn: '[function]', set: [1], not: 'NaN' }
    expect(log[4]).toBe(`result odd ok ${JSON.stringify(json)}`)
    expect(scripted.calls[1]!.prompt.at(-1)).toMatchObject({ content: [{ output: { type: 'json', value: json } }] })
  })

  it('arguments that a schema turned into something else than JSON are logged as JSON', async () => {
    const when = tool({
      inputSchema: z.object({ at: z.string().transform((text) => new Date(text)) }),
      execute: async ({ at }) => at.getTime(),
    })
    const { agent } = setUp({ model: model({ name: 'when', input: { at: '1970-01-01' } }), tools: { when } })
    expect((await ask(agent, 'go')).slice(3, 5)).toEqual(['call when {"at":"1970-01-01T00:00:00.000Z"}', 'result when ok 0'])
  })

  it('a tool with toModelOutput decides what the model sees, from its raw answer', async () => {
    const scripted = model({ name: 'shot' })
    const shot = tool({
      inputSchema: anything,
      execute: async () => new Uint8Array([1, 2]),
      toModelOutput: ({ output }) => ({ type: 'text', value: `${output.length} bytes` }),
    })
    const { agent } = setUp({ model: scripted, tools: { shot } })
    expect((await ask(agent, 'go'))[4]).toBe('result shot ok "[binary: 2 bytes]"')
    expect(scripted.calls[1]!.prompt.at(-1)).toMatchObject({ content: [{ output: { type: 'text', value: '2 bytes' } }] })
  })

  it('a tool that yields preliminary results is answered by its last one', async () => {
    const steps = tool({
      inputSchema: anything,
      async *execute() {
        yield { done: 1n }
        yield { done: 2n }
      },
    })
    const { agent, updates } = setUp({ model: model({ name: 'steps' }), tools: { steps } })
    expect((await ask(agent, 'go'))[4]).toBe('result steps ok {"done":"2n"}')
    expect(updates.filter(({ type }) => type === 'tool-result').length).toBe(1)
  })

  it('a tool nobody can run here, and one that wants an approval, are answered by an error', async () => {
    const output = 'Not executed: the tool has no execute function here, or wants an approval that nobody can give.'
    for (const client of [
      tool({ inputSchema: anything, outputSchema: anything }),
      tool({ inputSchema: anything, needsApproval: true, execute: async () => 1 }),
    ]) {
      const scripted = model({ name: 'client' })
      const { agent } = setUp({ model: scripted, tools: { client } })
      const log = await ask(agent, 'go')
      expect([log[4], log.at(-1)]).toEqual([`result client error ${JSON.stringify(output)}`, 'end 1 completed'])
      expect(scripted.calls[1]!.prompt.slice(-2)).toMatchObject([
        { role: 'assistant', content: [{ type: 'tool-call', toolName: 'client' }] },
        { role: 'tool', content: [{ output: { type: 'error-text', value: output } }] },
      ])
    }
  })

  it('a tool made as an instance of a class works, methods and own fields alike', async () => {
    class Counter {
      inputSchema = anything
      description = 'counts'
      count = 0
      async execute() {
        return ++this.count
      }
    }
    const scripted = model({ name: 'counter' })
    const { agent } = setUp({ model: scripted, tools: { counter: new Counter() as never } })
    expect((await ask(agent, 'go'))[4]).toBe('result counter ok 1')
    expect(scripted.calls[0]!.options.tools).toMatchObject([{ name: 'counter', description: 'counts' }])
  })

  it('tools of a function may come and go between the steps', async () => {
    const scripted = scriptedModel([{ tools: [{ name: 'open' }] }, { tools: [{ name: 'add', input: { x: 1 } }] }, 'done'])
    let opened = false
    const open = tool({ inputSchema: anything, execute: async () => void (opened = true) })
    const { agent } = setUp({ model: scripted, tools: () => (opened ? { open, add } : { open }) })
    const log = await ask(agent, 'go')
    expect([scripted.calls.map(({ tools }) => tools), log.at(-3)]).toEqual([
      [['open'], ['open', 'add'], ['open', 'add']],
      'result add ok 2',
    ])
  })
})

describe('what is around a turn', () => {
  it('G12: an answer that fails once it has begun is not asked for again, though its error could be retried; no tool is run for it', async () => {
    const scripted = scriptedModel([{ text: 'half', tools: [{ name: 'add', input: { x: 1 } }] }, 'never asked for'])
    const failure = new APICallError({ message: 'overloaded', url: '', requestBodyValues: {}, statusCode: 529, isRetryable: true })
    const model = changed(scripted, (part, controller) => (part.type === 'finish' ? controller.error(failure) : controller.enqueue(part)))
    const execute = vi.fn(() => 2)
    const { agent, updates } = setUp({ model, tools: { add: tool({ inputSchema: anything, execute }) } })
    expect((await ask(agent, 'go')).slice(2)).toEqual([
      'assistant "half"',
      'call add {"x":1}',
      'result add error "Not executed: the answer that called it broke off."',
      'end 1 error {"message":"scripted failed (HTTP 529): overloaded.","provider":"scripted","retryable":true,"status":529}',
    ])
    expect([scripted.calls.length, execute.mock.calls.length]).toEqual([1, 0])
    expect(updates.filter(({ type }) => type === 'text')).toEqual([{ type: 'text', text: 'half', messageId: '1.1' }])
  })

  it('nothing is written to the console, whatever fails; warnings of the provider go to the logger once', async () => {
    const spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map((name) => vi.spyOn(console, name).mockImplementation(() => {}))
    const scripted = scriptedModel([{ tools: [{ name: 'add', input: { x: 1 } }] }, 'ok', { error: 'down' }])
    const warning = { type: 'unsupported' as const, feature: 'topK' }
    const model = changed(scripted, (part, controller) =>
      controller.enqueue(part.type === 'stream-start' ? { ...part, warnings: [warning] } : part),
    )
    const logger = memoryLogger()
    const { agent } = createAgents({ model, tools: { add }, logger, maxRetries: 0 }).create({ id: 'a' })
    await ask(agent, 'go')
    await ask(agent, 'again')
    expect(logger.lines).toEqual(['warn: Agent a: the model warns: {"type":"unsupported","feature":"topK"}'])
    expect(spies.flatMap((spy) => spy.mock.calls)).toEqual([])
    for (const spy of spies) spy.mockRestore()
  })

  it('calls of one id are each run and answered, each with its own arguments', async () => {
    const ids = [1, 2].map((x) => ({ name: 'add', id: 'same', input: { x } }))
    const scripted = scriptedModel([{ tools: ids }, 'ok'])
    const { agent } = setUp({ model: scripted, tools: { add } })
    expect((await ask(agent, 'go')).slice(3, 7)).toEqual(['call add {"x":1}', 'call add {"x":2}', 'result add ok 2', 'result add ok 3'])
    expect(scripted.calls[1]!.prompt.slice(1)).toMatchObject([
      {
        content: [
          { toolCallId: 'same', input: { x: 1 } },
          { toolCallId: 'same_2', input: { x: 2 } },
        ],
      },
      {
        content: [
          { toolCallId: 'same', output: { value: 2 } },
          { toolCallId: 'same_2', output: { value: 3 } },
        ],
      },
    ])
  })

  it('what an answer cost is in the log though a tool fails to say what the model sees of it', async () => {
    const script = [{ text: 'look', tools: [{ name: 'shot' }], usage: { inputTokens: 3, outputTokens: 2 } }]
    const shot = tool({
      inputSchema: anything,
      execute: async () => 'a picture',
      toModelOutput() {
        throw new Error('blurred')
      },
    })
    const { agent, updates } = setUp({ model: scriptedModel(script), tools: { shot } })
    expect((await ask(agent, 'go')).at(-1)).toContain('blurred')
    const usage = { inputTokens: 3, outputTokens: 2, totalTokens: 5 }
    expect(agent.session.events[2]).toMatchObject({ type: 'assistant/message', usage })
    expect(updates.at(-1)).toMatchObject({ type: 'usage', usage })
  })

  it('a part that cannot be read ends the turn and the stream; a warning that is no JSON is told all the same', async () => {
    const cancel = vi.fn()
    const parts = [{ type: 'stream-start', warnings: [{ size: 1n }] }, null]
    const model = {
      ...scriptedModel([]),
      doStream: async () => ({
        stream: new ReadableStream({ start: (controller) => parts.forEach((part) => controller.enqueue(part)), cancel }),
      }),
    }
    const { agent, logger } = setUp({ model: model as never })
    expect((await ask(agent, 'go')).at(-1)).toMatch(/^end 1 error .*scripted failed/)
    expect(cancel).toHaveBeenCalledOnce()
    expect(logger.lines).toEqual(['warn: Agent agent: the model warns: {"size":"1n"}'])
  })

  it('a broken logger, and a tools function that throws in mid-turn, end the turn as an error at worst', async () => {
    const broken = {
      debug() {
        throw new Error('x')
      },
      warn() {
        throw new Error('x')
      },
      error() {
        throw new Error('x')
      },
    }
    let gone = false
    const work = tool({ inputSchema: anything, execute: async () => void (gone = true) })
    const tools = () => {
      if (gone) throw new Error('tools are gone')
      return { work }
    }
    const { agent } = setUp({ model: scriptedModel([{ tools: [{ name: 'work' }] }, 'ok']), tools, logger: broken })
    expect((await ask(agent, 'go')).at(-1)).toBe('end 1 error {"message":"The turn failed: Error: tools are gone","retryable":false}')
    expect(agent.status).toBe('idle')
  })
})

it('G10: a call that a model without tools makes from memory is told as text in the same turn, and its error with it', async () => {
  const model = scriptedModel([{ text: 'let me see', tools: [{ name: 'ghost' }] }, 'done'])
  const { agent } = setUp({ model })
  expect((await ask(agent, 'go')).at(-1)).toBe('end 1 completed')
  const { prompt } = model.calls[1]!
  expect(prompt.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  expect(JSON.stringify(prompt)).not.toMatch(/"tool-(call|result)"/)
  expect(JSON.stringify(prompt)).toContain('[Called ghost with {}]')
})
