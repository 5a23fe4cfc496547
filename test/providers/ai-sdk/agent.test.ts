import { stepCountIs, tool, ToolLoopAgent } from 'ai'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { MockInstance } from 'vitest'
import { z } from 'zod'
import { createSubagentService, rootAgent } from '../../../src/index.ts'
import type { ParentAgent, SubagentStartRequest, SubagentUpdateContent } from '../../../src/index.ts'
import { aiSdkAgentProvider } from '../../../src/providers/index.ts'
import type { AiSdkAgentProviderOptions } from '../../../src/providers/index.ts'
import { createSimulatedClock, scriptedModel } from '../../../src/testing/index.ts'
import type { ScriptedStep } from '../../../src/testing/index.ts'
import { collectLogger, textOf, until } from '../collect.ts'

const parent = rootAgent({ cwd: '/project', id: 'root' })
const search = tool({ inputSchema: z.object({ query: z.string() }), execute: ({ query }) => `3 hits for ${query}` })

function setUp(agent: AiSdkAgentProviderOptions['agent'], more: Partial<AiSdkAgentProviderOptions> = {}) {
  const logger = collectLogger()
  const clock = createSimulatedClock()
  const service = createSubagentService({ providers: [aiSdkAgentProvider({ name: 'agent', agent, ...more })], logger, clock })
  const start = (request: Partial<SubagentStartRequest> = {}) => service.start('agent', { parent, prompt: 'work', ...request })
  return { service, logger, clock, start }
}

const isVersion7 = process.env['AI_MAJOR'] === '7'
/** Version 7 writes errors to the console unless an agent has an onError of its own. */
const quiet = isVersion7 ? { onError: () => {} } : {}

/** An agent on a script. */
function scripted(steps: readonly ScriptedStep[], settings: object = {}) {
  const model = scriptedModel(steps)
  const agent = new ToolLoopAgent({ model, maxRetries: 0, tools: { search }, ...quiet, ...settings })
  return { model, agent }
}

async function run(steps: readonly ScriptedStep[], settings?: object) {
  const { model, agent } = scripted(steps, settings)
  const { service, start } = setUp(agent)
  const child = start()
  const updates: SubagentUpdateContent[] = []
  for await (const { runId: _, seq: __, at: ___, ...update } of child.updates) updates.push(update as SubagentUpdateContent)
  const result = await child.result
  await service.close()
  return { result, updates, model }
}

const call = { tools: [{ name: 'search', input: { query: 'TODO' }, id: 'c1' }] }
const usage = { inputTokens: 10, outputTokens: 2 }

let spies: MockInstance[]
beforeEach(() => {
  spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map((name) => vi.spyOn(console, name).mockImplementation(() => {}))
})
afterEach(() => {
  expect(spies.flatMap((spy) => spy.mock.calls)).toEqual([])
  vi.restoreAllMocks()
})

describe('what an agent does is what the run reports', () => {
  it('P16, G9: text, thoughts, tool calls, their results and the usage are updates; the last answer is the output', async () => {
    const { result, updates } = await run([
      { reasoning: 'look first', text: 'One moment.', ...call, usage },
      { text: ['There are ', 'three.'], usage },
    ])
    expect(result).toEqual({
      output: [{ type: 'text', text: 'There are three.' }],
      stopReason: 'completed',
      usage: { inputTokens: 20, outputTokens: 4, totalTokens: 24, reasoningTokens: expect.any(Number), cachedInputTokens: 0 },
    })
    expect(updates).toEqual([
      { type: 'thought', text: 'look first', messageId: '1' },
      { type: 'text', text: 'One moment.', messageId: '1' },
      { type: 'tool-call', toolCallId: 'c1', name: 'search', input: { query: 'TODO' } },
      { type: 'tool-result', toolCallId: 'c1', status: 'ok' },
      { type: 'usage', usage: expect.objectContaining({ inputTokens: 10, outputTokens: 2 }) },
      { type: 'text', text: 'There are ', messageId: '2' },
      { type: 'text', text: 'three.', messageId: '2' },
      { type: 'usage', usage: expect.objectContaining({ inputTokens: 20, outputTokens: 4 }) },
    ])
  })

  it('P16, G10: a tool that throws is an error result, and the agent goes on', async () => {
    const broken = tool({
      inputSchema: z.object({}),
      execute: (): string => {
        throw new Error('no disk')
      },
    })
    const { result, updates } = await run([{ tools: [{ name: 'broken', id: 'c1' }] }, 'It cannot be read.'], { tools: { broken } })
    expect(updates).toContainEqual({ type: 'tool-result', toolCallId: 'c1', status: 'error' })
    expect([result.stopReason, textOf(result)]).toEqual(['completed', 'It cannot be read.'])
  })

  it('P16, P6: length is max-tokens, content-filter a refusal, each with its text', async () => {
    const { result: cut } = await run([{ text: 'half a', finish: 'length' }])
    expect(cut).toMatchObject({ output: [{ type: 'text', text: 'half a' }], stopReason: 'max-tokens' })
    const { result: refused } = await run([{ text: 'I will not.', finish: 'content-filter' }])
    expect(refused).toMatchObject({ output: [{ type: 'text', text: 'I will not.' }], stopReason: 'refusal' })
  })

  it.each([
    ['error', { text: 'half', finish: 'error' as const }, /The model ended its answer with an error/],
    ['other', { text: 'half', finish: 'other' as const, rawFinish: 'weird' }, /a reason that is not known: weird/],
  ])('P16, G12: the finish reason %s is an error, its text is kept', async (_, step, message) => {
    const { result } = await run([step])
    expect(result).toMatchObject({
      output: [{ type: 'text', text: 'half' }],
      stopReason: 'error',
      failure: { code: 'MODEL_ERROR', phase: 'running', message: expect.stringMatching(message) },
      diagnostic: expect.stringMatching(message),
    })
  })

  it('P16, G11: an agent that its stopWhen ends while it calls tools is no success: MAX_STEPS, its text is kept', async () => {
    const { result, model } = await run([{ text: 'So far: two.', ...call }, call], { stopWhen: stepCountIs(2) })
    expect(model.calls).toHaveLength(2)
    expect(result).toMatchObject({
      output: [{ type: 'text', text: 'So far: two.' }],
      stopReason: 'error',
      failure: { code: 'MAX_STEPS', retryable: false, message: expect.stringContaining('stopWhen') },
    })
  })

  it('P16: a tool call that nobody answers ends in an error that names the tool', async () => {
    const ask = tool({ inputSchema: z.object({}) })
    const { result } = await run([{ tools: [{ name: 'ask' }] }], { tools: { ask } })
    expect(result).toMatchObject({
      output: [],
      stopReason: 'error',
      failure: { code: 'UNANSWERED_TOOL_CALL', message: expect.stringContaining('"ask"') },
    })
  })

  it('P16, G12, P5: an error of the model ends in MODEL_ERROR with status and a short message, no key, and what was said before', async () => {
    const { result } = await run([
      { text: 'So far: two.', ...call },
      { error: { message: 'bad key sk-secret1234567890 given', status: 400 } },
    ])
    expect(result).toMatchObject({
      output: [{ type: 'text', text: 'So far: two.' }],
      stopReason: 'error',
      failure: { code: 'MODEL_ERROR', retryable: false, message: 'The model refused the call (HTTP 400): bad key [redacted] given.' },
    })
    const { result: half } = await run([{ text: 'half', error: { message: 'overloaded', status: 529 } }])
    expect(half).toMatchObject({ output: [{ type: 'text', text: 'half' }], failure: { code: 'MODEL_ERROR', retryable: true } })
  })

  it('P16: an agent that breaks off by itself, as by a time limit of its own, has failed', async () => {
    const steps = { type: 'abort', reason: 'too slow' } as const
    const { service, start } = setUp({
      stream: async () => ({
        fullStream: (async function* () {
          yield { type: 'start' }
          yield { type: 'text-delta', id: '0', text: 'half' }
          yield steps
        })(),
      }),
    })
    expect(await start().result).toMatchObject({
      output: [{ type: 'text', text: 'half' }],
      stopReason: 'error',
      failure: { code: 'CRASHED', retryable: true, message: 'The agent broke off by itself: too slow' },
    })
    await service.close()
  })

  it.each([
    ['without a reason', undefined, 'CRASHED', /^The agent broke off by itself: .*abort/],
    ['with a TimeoutError', new DOMException('Too slow.', 'TimeoutError'), 'CRASHED', /^The agent broke off by itself: .*Too slow\./],
    // Version 6 passes on what the connection then fails with, which looks like any failure of it.
    ['with an ordinary error', new Error('Out of budget.'), isVersion7 ? 'CRASHED' : 'MODEL_ERROR', /: (Error: )?Out of budget\.$/],
  ])('P16: an agent that aborts itself %s while its model answers has failed, with that reason', async (_, reason, code, message) => {
    const own = new AbortController()
    const { agent, model } = scripted([])
    model.doStream = async ({ abortSignal }) => ({
      stream: new ReadableStream({
        start(controller) {
          controller.enqueue({ type: 'text-start', id: '0' })
          controller.enqueue({ type: 'text-delta', id: '0', delta: 'half' })
          // As the body of a fetch does.
          abortSignal!.addEventListener('abort', () => controller.error(abortSignal!.reason))
        },
      }),
    })
    const { service, start } = setUp({
      stream: ({ abortSignal, ...call }) => agent.stream({ ...call, abortSignal: AbortSignal.any([abortSignal, own.signal]) }),
    })
    const child = start()
    for await (const update of child.updates) if (update.type === 'text') own.abort(reason)
    expect(await child.result).toMatchObject({
      output: [{ type: 'text', text: 'half' }],
      stopReason: 'error',
      failure: { code, message: expect.stringMatching(message) },
    })
    await service.close()
  })

  it('P16: a stream that ends in the middle, or has nothing in it, is no success; nor is a stream() that throws', async () => {
    const parts = async (...given: { type: string; [field: string]: unknown }[]) => {
      const { service, start } = setUp({
        stream: () => ({
          fullStream: (async function* () {
            yield* given
          })(),
        }),
      })
      const result = await start().result
      await service.close()
      return [result.stopReason, textOf(result), result.failure?.message]
    }
    expect(await parts({ type: 'start-step' }, { type: 'text-delta', id: '0', text: 'half' })).toEqual([
      'error',
      'half',
      'The model broke off its answer: the stream ended without a finish reason.',
    ])
    expect(await parts()).toEqual(['error', '', 'The model gave an empty answer: its stream ended without any output.'])
    const { service, start } = setUp({
      stream: () => {
        throw new Error('no such index')
      },
    })
    expect(await start().result).toMatchObject({ stopReason: 'error', failure: { message: 'The model failed: no such index.' } })
    await service.close()
  })

  it('P16: an error that the agent overcomes by another step is none of the result', async () => {
    const usage = { inputTokens: 1, outputTokens: 1 }
    const { service, start } = setUp({
      stream: () => ({
        fullStream: (async function* () {
          yield { type: 'start-step' }
          yield { type: 'error', error: new Error('overloaded') }
          yield { type: 'start-step' }
          yield { type: 'text-delta', id: '0', text: 'done' }
          yield { type: 'finish-step', finishReason: 'stop', usage }
        })(),
      }),
    })
    expect(await start().result).toMatchObject({ stopReason: 'completed', output: [{ type: 'text', text: 'done' }] })
    await service.close()
  })
})

describe('what an agent is asked', () => {
  it('P16: the blocks of the prompt are the parts of one message of the user', async () => {
    const { model, agent } = scripted(['done'])
    const { service, start } = setUp(agent)
    await start({
      prompt: [
        { type: 'text', text: 'Look at' },
        { type: 'image', data: 'aW1n', mimeType: 'image/png' },
        { type: 'audio', data: 'd2F2', mimeType: 'audio/wav' },
        { type: 'resource_link', uri: 'file:///a.md', name: 'a.md' },
        { type: 'resource', resource: { uri: 'file:///b.md', text: 'body' } },
        { type: 'resource', resource: { uri: 'file:///c.pdf', mimeType: 'application/pdf', blob: 'cGRm' } },
      ],
    }).result
    const message = model.calls[0]!.prompt.at(-1)!
    expect(message.role).toBe('user')
    expect((message.content as { type: string; mediaType?: string; text?: string }[]).map((part) => part.mediaType ?? part.text)).toEqual([
      'Look at',
      'image/png',
      'audio/wav',
      '[a.md](file:///a.md)',
      '<resource uri="file:///b.md">\nbody\n</resource>',
      'application/pdf',
    ])
    await service.close()
  })

  it('P16: a function makes the agent of a run, from its request, and may take its time; what it throws reaches the caller', async () => {
    const { service, start } = setUp(
      async ({ persona, agentOptions }) => {
        return new ToolLoopAgent({
          model: scriptedModel([`${persona} on ${String(agentOptions?.model)}`]),
          ...(persona !== undefined && { instructions: persona }),
        })
      },
      { capabilities: { persona: true } },
    )
    expect(textOf(await start({ persona: 'A poet', agentOptions: { model: 'm-1' } }).result)).toBe('A poet on m-1')
    await service.close()
    const broken = setUp(() => {
      throw new Error('no such agent')
    })
    expect(() => broken.start()).toThrow('no such agent')
    const none = setUp(async () => ({}) as never)
    await expect(none.start().result).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringContaining('an object with stream'),
    })
    await Promise.all([broken.service.close(), none.service.close()])
  })

  it('P16: options of the request that a shared agent does not hear are warned of', async () => {
    const { agent } = scripted(['done'])
    const { service, logger, start } = setUp(agent)
    await start({ agentOptions: { maxSteps: 3 } }).result
    expect(logger.warnings).toEqual([expect.stringContaining('agentOptions.maxSteps of the request says nothing')])
    await service.close()
  })

  it('P16, P8: the conversation of the parent comes along where that is wanted, up to its last completed turn', async () => {
    const at = 0
    const talk: ParentAgent = {
      ...parent,
      session: {
        header: parent.session.header,
        events: [
          { type: 'turn/start', turn: 1 },
          { type: 'user/message', content: [{ type: 'text', text: 'Mine is the red one.' }] },
          { type: 'assistant/message', content: [{ type: 'text', text: 'Noted.' }] },
          { type: 'turn/end', turn: 1, reason: { kind: 'completed' } },
          { type: 'turn/start', turn: 2 },
          { type: 'user/message', content: [{ type: 'text', text: 'Delegate it.' }] },
        ].map((event, seq) => ({ ...event, seq, at })) as ParentAgent['session']['events'],
      },
    }
    const heard = async (inheritsParentContext: boolean) => {
      const { model, agent } = scripted(['done'])
      const { service, start } = setUp(agent, { inheritsParentContext })
      await start({ parent: talk }).result
      await service.close()
      expect(aiSdkAgentProvider({ name: 'agent', agent, inheritsParentContext })).toMatchObject({ inheritsParentContext })
      return model.calls[0]!.prompt.map(
        ({ role, content }) => `${role}: ${(content as { text: string }[]).map(({ text }) => text).join('')}`,
      )
    }
    expect(await heard(true)).toEqual(['user: Mine is the red one.', 'assistant: Noted.', 'user: work'])
    expect(await heard(false)).toEqual(['user: work'])
  })

  it('P16: what is no agent, and a name that is none, are refused when the provider is made', () => {
    expect(() => aiSdkAgentProvider({ name: 'x', agent: {} as never })).toThrow(
      /agent must be an agent of the AI SDK \(an object with stream\)/,
    )
    expect(() => aiSdkAgentProvider({ name: '', agent: scripted([]).agent })).toThrow(/name must be a non-empty string/)
    expect(aiSdkAgentProvider({ name: 'x', agent: scripted([]).agent })).toMatchObject({
      name: 'x',
      capabilities: { outputSchema: false, depthLimit: false, toolFilter: false, persona: false },
      inheritsParentContext: false,
    })
  })

  it('P16: an agent with call options is wrapped', async () => {
    const model = scriptedModel(['done'])
    const agent = new ToolLoopAgent({
      model,
      callOptionsSchema: z.object({ topic: z.string() }),
      prepareCall: ({ options, ...settings }) => ({ ...settings, instructions: `About ${options.topic}` }),
    })
    const { service, start } = setUp({ stream: (call) => agent.stream({ ...call, options: { topic: 'birds' } }) })
    expect(textOf(await start().result)).toBe('done')
    expect(model.calls[0]!.prompt[0]).toMatchObject({ role: 'system', content: 'About birds' })
    await service.close()
  })
})

describe('an agent that is cancelled', () => {
  it('P16, R7: hears it by its signal, the text of the step is kept', async () => {
    const { model, agent } = scripted([{ text: 'half', hang: true }])
    const { service, start } = setUp(agent)
    const child = start()
    for await (const { type } of child.updates) if (type === 'text') child.cancel()
    expect(await child.result).toEqual({ output: [{ type: 'text', text: 'half' }], stopReason: 'aborted' })
    expect(model.calls[0]!.signal?.aborted).toBe(true)
    await child.dispose()
    expect(child.leaked).toBe(false)
    await service.close()
  })

  it('P16, G13: one whose tool is deaf holds nobody: the run settles at once, and its release waits for the tool no longer than the grace', async () => {
    let letGo: (() => void) | undefined
    const slow = tool({ inputSchema: z.object({}), execute: () => new Promise<string>((resolve) => (letGo = () => resolve('late'))) })
    const { agent } = scripted([{ text: 'So far.', tools: [{ name: 'slow' }] }, 'never said'], { tools: { slow } })
    const { service, start, clock, logger } = setUp(agent)
    const child = start()
    await until(() => letGo !== undefined)
    child.cancel()
    expect(await child.result).toMatchObject({ output: [{ type: 'text', text: 'So far.' }], stopReason: 'aborted' })
    const disposed = child.dispose().then(
      () => 'released',
      (error: { code: string }) => error.code,
    )
    clock.advance(10_000)
    expect([await disposed, child.leaked]).toEqual(['RELEASE_TIMEOUT', true])
    letGo!()
    await service.close()
    expect(logger.warnings.filter((warning) => !warning.includes('is leaked'))).toEqual([])
  })

  it('P16, G13: a deaf model is held by nobody either; once it answers nothing of it is left, no tool is called for it', async () => {
    let answer: (() => void) | undefined
    let calls = 0
    const counted = tool({ inputSchema: z.object({}), execute: () => String(++calls) })
    const model = scriptedModel([() => new Promise((resolve) => (answer = () => resolve({ tools: [{ name: 'counted' }] })))])
    const agent = new ToolLoopAgent({ model, tools: { counted }, ...quiet })
    const { service, start } = setUp(agent)
    const child = start()
    await until(() => answer !== undefined)
    child.cancel()
    expect(await child.result).toEqual({ output: [], stopReason: 'aborted' })
    const disposed = child.dispose()
    answer!()
    await disposed
    await service.close()
    expect([calls, model.calls.length, child.leaked]).toEqual([0, 1, false])
  })

  it('P16, R7: one that is cancelled before it was asked is never asked', async () => {
    const { model, agent } = scripted(['never said'])
    const { service, start } = setUp(agent)
    const child = start()
    child.cancel()
    expect(await child.result).toEqual({ output: [], stopReason: 'aborted' })
    await service.close()
    expect(model.calls).toEqual([])
  })
})
