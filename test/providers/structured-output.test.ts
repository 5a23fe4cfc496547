import { tool } from 'ai'
import * as valibot from 'valibot'
import { describe, expect, it } from 'vitest'
import * as zod from 'zod'
import { rootAgent } from '../../src/index.ts'
import type { ScriptedStep } from '../../src/testing/index.ts'
import { textOf, until } from './collect.ts'
import { setUp, talk } from './set-up.ts'

const parent = rootAgent()
const outputSchema = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'], additionalProperties: false }
const give = (...inputs: readonly unknown[]): ScriptedStep => ({
  tools: inputs.map((input, index) => ({ name: 'structured_output', input, id: `give-${index}` })),
})
const refusal = 'The result does not fit the schema. Repair this, and call structured_output again:'

describe.each(['spawn', 'fork'])('%s', (provider) => {
  it('P9, V4: gives the child a tool with the schema and an instruction, and its arguments are the result', async () => {
    const { agents, service, model } = setUp([{ text: 'Counting.', ...(give({ answer: 42 }) as object) }], { system: 'You count.' })
    const run = service.start(provider, { parent, prompt: 'How many?', outputSchema })
    const result = await run.result
    expect(result).toEqual({
      output: [{ type: 'text', text: 'Counting.' }],
      structured: { answer: 42 },
      stopReason: 'completed',
      usage: expect.any(Object),
      sessionId: expect.any(String),
    })
    const [call] = model.calls
    expect(call!.tools).toEqual(['structured_output'])
    // As it is: open objects stay open, closed ones closed.
    expect(call!.options.tools![0]).toMatchObject({ inputSchema: outputSchema })
    expect(call!.prompt[0]).toMatchObject({
      role: 'system',
      content: expect.stringMatching(/^You count\.\n\nWhen the work is done, .*structured_output/),
    })
    // No step follows.
    expect(model.calls).toHaveLength(1)
    expect(agents.get(run.id)!.session.events.at(-1)).toMatchObject({ type: 'turn/end', reason: { kind: 'completed' } })
    await service.close()
  })

  it('P9: what does not fit is a tool error naming each path, and the model repairs it in the same turn', async () => {
    const { service, model, logOf } = setUp([give({ answer: 'forty-two', more: 1 }), give({ answer: 42 })])
    const run = service.start(provider, { parent, prompt: 'How many?', outputSchema })
    expect((await run.result).structured).toEqual({ answer: 42 })
    expect(logOf(run.id)).toEqual([
      'turn 1',
      'user "How many?"',
      'assistant ""',
      'call structured_output {"answer":"forty-two","more":1}',
      `result structured_output error ${JSON.stringify(`${refusal}\n- more: is not allowed; allowed are answer\n- answer: must be number, was "forty-two"`)}`,
      'assistant ""',
      'call structured_output {"answer":42}',
      'result structured_output ok "The result is taken."',
      'end 1 completed',
    ])
    expect(model.calls).toHaveLength(2)
    await service.close()
  })

  it('P9: a clean end without a result is an error with code NO_STRUCTURED_OUTPUT; the text is kept', async () => {
    const { service } = setUp(['It is 42.'])
    const result = await service.delegate(provider, { parent, prompt: 'How many?', outputSchema })
    expect(result).toMatchObject({
      stopReason: 'error',
      output: [{ type: 'text', text: 'It is 42.' }],
      failure: { code: 'NO_STRUCTURED_OUTPUT', phase: 'running', retryable: true },
      diagnostic: expect.stringContaining('no call of structured_output that could be read'),
    })
    expect('structured' in result).toBe(false)
    await service.close()
  })

  it('P9, R14: the diagnostic names what did not fit last, and shows nothing of the value', async () => {
    const { service } = setUp([give({ answer: 'secret' }), 'I give up.'])
    const { failure, diagnostic, output } = await service.delegate(provider, { parent, prompt: 'How many?', outputSchema })
    expect(failure!.code).toBe('NO_STRUCTURED_OUTPUT')
    expect(diagnostic).toBe('The child ended without a structured result. The last that it gave did not fit:\n- answer: must be number')
    expect(textOf({ output })).toBe('I give up.')
    await service.close()
  })

  it('P9, P11: the instruction stands behind the persona, also behind an empty one', async () => {
    const { service, model } = setUp(() => give({ answer: 1 }) as never, { system: 'Factory.' })
    const systemFor = async (persona?: string) => {
      await service.delegate(provider, { parent, prompt: 'go', outputSchema, ...(persona !== undefined && { persona }) })
      return (model.calls.at(-1)!.prompt[0] as { content: string }).content
    }
    const [own, none, factory] = [await systemFor('You are terse.'), await systemFor(''), await systemFor()]
    expect(own).toBe(`You are terse.\n\n${none}`)
    expect(none).toMatch(/^When the work is done/)
    expect(factory).toBe(`Factory.\n\n${none}`)
    await service.close()
  })
})

describe('schemas', () => {
  it('P9, V4: of a Standard Schema its output is the result, with zod and with valibot', async () => {
    const { service, model } = setUp([give({ at: '2026-01-02T03:04:05Z' }), give({ a: 1 })])
    const date = zod.object({ at: zod.iso.datetime().transform((text) => new Date(text)), tags: zod.array(zod.string()).default([]) })
    const { structured } = await service.delegate('spawn', { parent, prompt: 'When?', outputSchema: date })
    expect(structured).toEqual({ at: new Date('2026-01-02T03:04:05Z'), tags: [] })
    // valibot gives its JSON Schema by a converter; here it is written by hand.
    const schema = valibot.object({
      a: valibot.pipe(
        valibot.number(),
        valibot.transform((a) => a + 1),
      ),
    })
    const standard = {
      '~standard': {
        ...schema['~standard'],
        jsonSchema: { input: () => ({ type: 'object', properties: { a: { type: 'number' } } }), output: () => ({}) },
      },
    }
    expect((await service.delegate('spawn', { parent, prompt: 'a?', outputSchema: standard })).structured).toEqual({ a: 2 })
    expect(model.calls[1]!.options.tools![0]).toMatchObject({ inputSchema: { type: 'object', properties: { a: { type: 'number' } } } })
    await service.close()
  })

  it('P9, S11: one that cannot be compiled is refused by start, with the reason; nothing is announced, nothing is left', () => {
    const { agents, service } = setUp([])
    const started: string[] = []
    service.on('*', ({ type }) => started.push(type))
    expect(() =>
      service.start('spawn', { parent, prompt: 'go', outputSchema: { type: 'object', properties: { a: { type: 'strnig' } } } }),
    ).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST', message: expect.stringMatching(/^outputSchema .*schema is invalid/) }))
    expect([started, agents.list()]).toEqual([[], []])
  })

  it('P9: the schema goes to the model as it is, open objects and keywords of its draft included', async () => {
    const { service, model } = setUp([give({ map: { a: 1 } })])
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { map: { type: 'object', additionalProperties: { type: 'number' } }, open: { type: 'object' } },
      oneOf: [{ required: ['map'] }, { required: ['open'] }],
      additionalProperties: true,
    }
    expect((await service.delegate('spawn', { parent, prompt: 'go', outputSchema: schema })).structured).toEqual({ map: { a: 1 } })
    expect((model.calls[0]!.options.tools![0] as { inputSchema: unknown }).inputSchema).toEqual(schema)
    await service.close()
  })

  it('V4: structured is typed by the schema of the request', async () => {
    const { service } = setUp(() => give({ a: 'x' }) as never)
    const result = await service.delegate('spawn', { parent, prompt: 'go', outputSchema: zod.object({ a: zod.string() }) })
    const a: string | undefined = result.structured?.a
    expect(a).toBe('x')
    // @ts-expect-error there is no such property in the schema
    expect(result.structured?.b).toBe(undefined)
    await service.close()
  })
})

describe('what comes after the result', () => {
  const note = () => {
    const seen: string[] = []
    return { seen, tools: { note: tool({ inputSchema: zod.object({ text: zod.string() }), execute: ({ text }) => void seen.push(text) }) } }
  }
  const step = (...calls: readonly (readonly [string, unknown])[]): ScriptedStep => ({
    tools: calls.map(([name, input], index) => ({ name, input, id: `call-${index}` })),
  })
  const later = zod.object({
    answer: zod.number().refine(async (answer) => (await new Promise((resolve) => setImmediate(resolve)), answer > 0)),
  })

  it.each([
    ['at once', outputSchema],
    ['in its own time', later],
  ])('P9: calls of the same step before the result are executed, those after it are not; the schema validates %s', async (_, schema) => {
    const { seen, tools } = note()
    const { service, model, logOf } = setUp(
      [
        step(
          ['note', { text: 'before' }],
          ['structured_output', { answer: 1 }],
          ['note', { text: 'after' }],
          ['structured_output', { answer: 2 }],
          ['note', { text: 'last' }],
        ),
      ],
      { tools },
    )
    const run = service.start('spawn', { parent, prompt: 'go', outputSchema: schema })
    expect(await run.result).toMatchObject({ stopReason: 'completed', structured: { answer: 1 } })
    expect(seen).toEqual(['before'])
    const notExecuted = '"Not executed: the result was given before this call, and that ended the work."'
    expect(logOf(run.id).slice(3)).toEqual([
      'call note {"text":"before"}',
      'call structured_output {"answer":1}',
      'call note {"text":"after"}',
      'call structured_output {"answer":2}',
      'call note {"text":"last"}',
      'result note ok null',
      'result structured_output ok "The result is taken."',
      `result note error ${notExecuted}`,
      'result structured_output error "Refused: the result was given already, and stands."',
      `result note error ${notExecuted}`,
      'end 1 completed',
    ])
    expect(model.calls).toHaveLength(1)
    await service.close()
  })

  it.each([
    ['at once', outputSchema],
    ['in its own time', later],
  ])(
    'P9: a result that does not fit holds up nothing, and the next in the same step is taken; the schema validates %s',
    async (_, schema) => {
      const { seen, tools } = note()
      const { service, model } = setUp(
        [
          step(
            ['structured_output', { answer: 'no' }],
            ['note', { text: 'between' }],
            ['structured_output', { answer: 2 }],
            ['note', { text: 'after' }],
          ),
        ],
        { tools },
      )
      expect(await service.delegate('spawn', { parent, prompt: 'go', outputSchema: schema })).toMatchObject({
        stopReason: 'completed',
        structured: { answer: 2 },
      })
      expect([seen, model.calls.length]).toEqual([['between'], 1])
      await service.close()
    },
  )

  it('P9, R7: a cancel between the call and its result drops what was given', async () => {
    let open!: () => void
    const wait = new Promise<void>((resolve) => (open = resolve))
    const slow = tool({ inputSchema: zod.object({}), execute: () => wait })
    const { service, agents } = setUp([step(['slow', {}], ['structured_output', { answer: 1 }])], { tools: { slow } })
    const run = service.start('spawn', { parent, prompt: 'go', outputSchema })
    const updates: string[] = []
    for await (const update of run.updates) {
      updates.push(update.type)
      if (update.type === 'tool-result') break
    }
    run.cancel()
    const result = await run.result
    expect([result.stopReason, 'structured' in result]).toEqual(['aborted', false])
    expect(agents.get(run.id)!.session.events.at(-1)).toMatchObject({ reason: { kind: 'aborted' } })
    open()
    await service.close()
  })

  it('P9: what was given in a turn that somebody else cancelled is no result of the turn that follows', async () => {
    let open!: () => void
    const wait = new Promise<void>((resolve) => (open = resolve))
    const { tools } = note()
    const slow = tool({ inputSchema: zod.object({}), execute: () => wait })
    const script = [step(['slow', {}], ['structured_output', { answer: 1 }]), step(['note', { text: 'more' }]), 'well']
    const { service, agents, model } = setUp(script, { tools: { slow, ...tools } })
    const run = service.start('spawn', { parent, prompt: 'go', outputSchema })
    for await (const update of run.updates) if (update.type === 'tool-result') break
    agents.get(run.id)!.cancel()
    run.sendMessage!('go on')
    const result = await run.result
    expect([result.stopReason, result.failure?.code, textOf(result), model.calls.length]).toEqual([
      'error',
      'NO_STRUCTURED_OUTPUT',
      'well',
      3,
    ])
    open()
    await service.close()
  })

  it('P9, P12: once the result is given a message is refused; one that was steered in before it is kept in the log, unanswered', async () => {
    let [answer, open] = [() => {}, () => {}]
    const asked = new Promise<void>((resolve) => (answer = resolve))
    const wait = new Promise<void>((resolve) => (open = resolve))
    const slow = tool({ inputSchema: zod.object({}), execute: () => wait })
    const calls = step(['slow', {}], ['structured_output', { answer: 1 }])
    const { service, model, logOf, logger } = setUp([() => asked.then(() => calls as never)], { tools: { slow } })
    const run = service.start('spawn', { parent, prompt: 'go', outputSchema })
    await until(() => model.calls.length === 1)
    run.sendMessage!('before the result')
    answer()
    for await (const update of run.updates) if (update.type === 'tool-result') break
    expect(() => run.sendMessage!('after the result')).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', message: expect.stringMatching(/has given its result .*Resume it/) }),
    )
    open()
    expect(await run.result).toMatchObject({ stopReason: 'completed', structured: { answer: 1 } })
    expect(logOf(run.id).slice(-2)).toEqual(['user "before the result"', 'end 1 completed'])
    expect(model.calls).toHaveLength(1)
    expect(logger.warnings).toEqual([expect.stringMatching(/^A message came while the turn concluded, and has no answer/)])
    await service.close()
  })

  it('P9: a result in the last step that is allowed counts; used up without one the failure is MAX_STEPS', async () => {
    const { service } = setUp([give({ answer: 'x' }), give({ answer: 1 }), give({ answer: 'x' })])
    const agentOptions = { maxSteps: 2 }
    expect(await service.delegate('spawn', { parent, prompt: 'go', outputSchema, agentOptions })).toMatchObject({
      stopReason: 'completed',
      structured: { answer: 1 },
    })
    const short = await service.delegate('spawn', { parent, prompt: 'go', outputSchema, agentOptions: { maxSteps: 1 } })
    expect([short.stopReason, short.failure!.code]).toEqual(['error', 'MAX_STEPS'])
    await service.close()
  })

  it.each([
    ['length', 'max-tokens', undefined],
    ['content-filter', 'refusal', undefined],
    ['other', 'error', 'MODEL_ERROR'],
    ['error', 'error', 'MODEL_ERROR'],
  ] as const)(
    'P9, P6: a call in an answer that ends by %s is not executed, so it gives no result, and the run is %s',
    async (finish, stopReason, code) => {
      const { service, model, logOf } = setUp([{ text: 'And', finish, ...(give({ answer: 1 }) as object) }, give({ answer: 2 })])
      const run = service.start('spawn', { parent, prompt: 'go', outputSchema })
      const result = await run.result
      expect([result.stopReason, result.failure?.code, 'structured' in result, textOf(result)]).toEqual([stopReason, code, false, 'And'])
      expect(logOf(run.id).slice(3, -1)).toEqual([
        'call structured_output {"answer":1}',
        `result structured_output error "Not executed: the answer that called it ended by ${finish}."`,
      ])
      expect(model.calls).toHaveLength(1)
      // The session goes on, with a new result.
      expect(await run.resume!('try again').result).toMatchObject({ stopReason: 'completed', structured: { answer: 2 } })
      await service.close()
    },
  )

  it('P9, G12: nor does a call in an answer that breaks off', async () => {
    const { service } = setUp([{ error: new Error('gone'), ...(give({ answer: 1 }) as object) }])
    const result = await service.delegate('spawn', { parent, prompt: 'go', outputSchema })
    expect([result.stopReason, result.failure?.code, 'structured' in result]).toEqual(['error', 'MODEL_ERROR', false])
    await service.close()
  })

  it('P9: arguments that are no JSON are an error result like any, and can be repaired', async () => {
    const { service } = setUp([{ tools: [{ name: 'structured_output', rawInput: '{"answer": ' }] }, give({ answer: 3 })])
    expect((await service.delegate('spawn', { parent, prompt: 'go', outputSchema })).structured).toEqual({ answer: 3 })
    await service.close()
  })

  it('V4, P9: siblings have their own results, on one schema', async () => {
    const { service } = setUp((call) => give({ answer: Number(call.lastUserText) }) as never)
    const results = await Promise.all(
      [1, 2, 3].map((number) => service.delegate('spawn', { parent, prompt: String(number), outputSchema })),
    )
    expect(results.map(({ structured }) => structured)).toEqual([{ answer: 1 }, { answer: 2 }, { answer: 3 }])
    await service.close()
  })

  it('P9, P8: the call of a structured result that a fork inherits is not taken for its own', async () => {
    const { service, agents } = setUp([give({ answer: 1 }), 'just text'])
    const first = service.start('spawn', { parent, prompt: 'go', outputSchema })
    await first.result
    const second = await service.delegate('fork', { parent: agents.get(first.id)!, prompt: 'again', outputSchema })
    expect([second.stopReason, second.failure?.code, 'structured' in second]).toEqual(['error', 'NO_STRUCTURED_OUTPUT', false])
    await service.close()
  })

  it('P15: a parent that asked for a structured result learns nothing else of its child', async () => {
    const { service, agents } = setUp(['hello', give({ answer: 1 })])
    const { agent } = agents.create()
    await talk(agent, 'hi')
    const before = agent.session.events.length
    await service.delegate('fork', { parent: agent, prompt: 'go', outputSchema })
    expect(agent.session.events).toHaveLength(before)
    await service.close()
  })
})
