import { describe, expect, it } from 'vitest'
import { createSubagentService, defineProvider, rootAgent } from '../../src/index.ts'
import type { ContentBlock, SubagentResult, SubagentStopReason } from '../../src/index.ts'
import { defineSubagentTool } from '../../src/tools/index.ts'
import { collectLogger, until } from '../providers/collect.ts'
import { parent, serviceWith, task, unreleasable } from './doubles.ts'

const text = (value: string): ContentBlock => ({ type: 'text', text: value })
const answer = (result: Partial<SubagentResult>): SubagentResult => ({ output: [], stopReason: 'completed', ...result })
const error = (value: string) => ({ isError: true, content: [text(value)] })

describe('what the model is shown', () => {
  it('T1: a name, a description, and a schema with description and prompt, both required strings', () => {
    const service = serviceWith(() => 'ok')
    const tool = defineSubagentTool({ service, provider: 'helper' })
    expect(tool.name).toBe('subagent')
    expect(defineSubagentTool({ service, provider: 'helper', toolName: 'helper' }).name).toBe('helper')
    expect(tool.inputSchema).toMatchObject({
      type: 'object',
      properties: { description: { type: 'string' }, prompt: { type: 'string' } },
      required: ['description', 'prompt'],
      additionalProperties: false,
    })
    expect(JSON.parse(JSON.stringify(tool.inputSchema))).toEqual(tool.inputSchema)
  })

  it('T3: the wording follows whether the child inherits the conversation, also of a provider that comes later or is replaced', () => {
    const service = createSubagentService()
    const tool = defineSubagentTool({ service, provider: 'helper', description: 'Looks things up.' })
    const wording = () => `${tool.description}\n${(tool.inputSchema as any).properties.prompt.description}`
    const provide = (inheritsParentContext: boolean) =>
      service.registerProvider(defineProvider({ name: 'helper', inheritsParentContext, run: () => 'ok' }))
    expect(wording()).toMatch(/^Looks things up\. .*sees nothing of this conversation.*\n.*self-contained/)
    const remove = provide(true)
    expect(wording()).toMatch(/^Looks things up\. .*sees the completed turns of this conversation, but not the current one/)
    expect(wording()).not.toContain('self-contained')
    remove()
    provide(false)
    expect(wording()).toMatch(/sees nothing of this conversation.*\n.*self-contained/)
  })
})

describe('the request', () => {
  it('T1, T4: it carries prompt, label, the parent given in the options, and what is configured', async () => {
    const service = serviceWith(() => 'ok', { toolFilter: true, persona: true })
    const labels: unknown[] = []
    service.on('subagent/start', ({ label }) => labels.push(label))
    const configured = {
      agentOptions: { maxSteps: 3 },
      toolFilter: { deny: ['write'] },
      persona: 'Be brief.',
      timeoutMs: 1000,
      cancelGraceMs: 10,
      releaseGraceMs: 20,
    }
    const tool = defineSubagentTool({ service, provider: 'helper', parent, ...configured })
    await tool.execute(task)
    const { signal: _, id: __, label, prompt, parent: asked, ...rest } = service.requests[0]!
    expect([label, prompt, asked]).toEqual(['Count', [text('How many TODOs?')], parent])
    expect(rest).toEqual(configured)
    expect(labels).toEqual(['Count'])
  })

  it('T4: the agent whose turn makes the call goes before the parent of the options', async () => {
    const service = serviceWith(() => 'ok')
    const caller = rootAgent({ id: 'caller' })
    await defineSubagentTool({ service, provider: 'helper', parent }).execute(task, { agent: caller })
    await defineSubagentTool({ service, provider: 'helper' }).execute(task, { agent: caller })
    expect(service.requests.map((request) => request.parent.id)).toEqual(['caller', 'caller'])
  })

  it('T4: with neither the answer is an error result, and nothing was started', async () => {
    const service = serviceWith(() => 'ok')
    const result = await defineSubagentTool({ service, provider: 'helper' }).execute(task)
    expect(result).toEqual(
      error(
        'The subagent was not started: nothing says which agent delegates. The tool has to be made with a parent, or be called by an agent.',
      ),
    )
    expect(service.requests).toEqual([])
  })

  it.each([
    [undefined, /must be an object with the strings description and prompt, got undefined/],
    ['How many?', /got string/],
    [null, /got null/],
    [[], /got an array/],
    [{ prompt: 'p' }, /description must be a string, got nothing/],
    [{ description: 'd', prompt: 7 }, /prompt must be a string, got number/],
    [{ description: '', prompt: ' \n' }, /description must not be empty; prompt must not be empty/],
  ])('T1: an input that is not right, %j, is an error result that says what was wrong', async (input, message) => {
    const service = serviceWith(() => 'ok')
    const result = await defineSubagentTool({ service, provider: 'helper', parent }).execute(input)
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(message) }] })
    expect(service.requests).toEqual([])
  })
})

describe('cancelling', () => {
  it('T5: the signal of the call cancels the run, and what the child had written is in the error', async () => {
    const service = serviceWith(({ signal }, { update }) => {
      update({ type: 'text', text: 'two so far' })
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve(answer({ stopReason: 'aborted' }))))
    })
    const controller = new AbortController()
    const call = defineSubagentTool({ service, provider: 'helper', parent }).execute(task, { abortSignal: controller.signal })
    await until(() => service.requests.length === 1)
    controller.abort()
    expect(await call).toEqual(error('The subagent was cancelled before it had finished.\n\nWhat it had written until then:\ntwo so far'))
  })

  it('T5, S12: a signal aborted already starts no child', async () => {
    const service = serviceWith(() => 'ok')
    const result = await defineSubagentTool({ service, provider: 'helper', parent }).execute(task, { abortSignal: AbortSignal.abort() })
    expect(result).toEqual(error('The subagent was cancelled before it had finished.'))
    expect(service.requests).toEqual([])
  })
})

describe('the answer', () => {
  const execute = (result: SubagentResult | string | Promise<never>) =>
    defineSubagentTool({ service: serviceWith(() => result), provider: 'helper', parent }).execute(task)

  it('T7: completed gives the text blocks joined, and the other blocks after it', async () => {
    const image: ContentBlock = { type: 'image', data: 'AAAA', mimeType: 'image/png' }
    expect(await execute(answer({ output: [text('One '), image, text('two.')] }))).toEqual({
      isError: false,
      content: [text('One two.'), image],
    })
    expect(await execute(answer({ output: [image] }))).toEqual({ isError: false, content: [image] })
    expect(await execute(answer({}))).toEqual({ isError: false, content: [text('')] })
  })

  it('T7: completed gives the validated object where there was a schema', async () => {
    const service = serviceWith(() => answer({ output: [text('Here it is.')], structured: { count: 3 } }), { outputSchema: true })
    const tool = defineSubagentTool({ service, provider: 'helper', parent, outputSchema: { type: 'object' } })
    expect(await tool.execute(task)).toEqual({ isError: false, content: [text('{"count":3}')], structured: { count: 3 } })
  })

  it.each([
    ['aborted', 'The subagent was cancelled before it had finished.'],
    ['error', 'The subagent failed.'],
    ['max-tokens', 'The subagent was cut off at its token limit before it had finished.'],
    ['refusal', 'The subagent refused the task.'],
    ['timed-out', 'The subagent did not finish in time and was stopped.'],
    ['paused' as SubagentStopReason, 'The subagent stopped for a reason that is not known (paused), which counts as a failure.'],
    ['constructor' as SubagentStopReason, 'The subagent stopped for a reason that is not known (constructor), which counts as a failure.'],
  ] as const)('T7, R13: %s is an error: its sentence, the diagnostic, the partial text', async (stopReason, sentence) => {
    expect(await execute(answer({ stopReason }))).toEqual(error(sentence))
    expect(await execute(answer({ stopReason, diagnostic: 'acme failed (HTTP 529).', output: [text('half')] }))).toEqual(
      error(`${sentence}\n\nacme failed (HTTP 529).\n\nWhat it had written until then:\nhalf`),
    )
  })

  it('T8: a start that throws is an error result with its message', async () => {
    const nobody = defineSubagentTool({ service: createSubagentService(), provider: 'helper', parent })
    expect(await nobody.execute(task)).toEqual(error('No provider is named "helper". No provider is registered yet.'))
    const odd = (thrown: unknown) =>
      defineSubagentTool({
        service: {
          getProvider: () => undefined,
          on: () => ({ unsubscribe: () => {} }),
          start: () => {
            throw thrown
          },
        },
        provider: 'helper',
        parent,
      }).execute(task)
    expect(await odd('a string')).toEqual(error('a string'))
    expect(
      await odd(
        Object.defineProperty(new Error('x'), 'message', {
          get: () => {
            throw new Error('no')
          },
        }),
      ),
    ).toEqual(error('a value that cannot be described'))
  })

  it('T8: a result that rejects is an error result with its message', async () => {
    const service = serviceWith(() => Promise.reject(new Error('the pipe broke')))
    expect(await defineSubagentTool({ service, provider: 'helper', parent }).execute(task)).toEqual(error('the pipe broke'))
  })
})

describe('disposing', () => {
  it.each<[string, () => SubagentResult | string | Promise<never>]>([
    ['completes', () => 'ok'],
    ['fails', () => answer({ stopReason: 'error' })],
    ['rejects', () => Promise.reject(new Error('no'))],
  ])('T6: a run that %s is disposed before the call answers', async (_, run) => {
    const events: string[] = []
    const service = createSubagentService({
      providers: [
        {
          name: 'helper',
          capabilities: { outputSchema: false, depthLimit: false, toolFilter: false },
          start: () => ({
            result: Promise.resolve()
              .then(run)
              .then((given) => (typeof given === 'string' ? answer({ output: [text(given)] }) : given)),
            cancel: () => {},
            dispose: async () => {
              await new Promise((resolve) => setImmediate(resolve))
              events.push('disposed')
            },
          }),
        },
      ],
    })
    await defineSubagentTool({ service, provider: 'helper', parent }).execute(task)
    events.push('answered')
    expect(events).toEqual(['disposed', 'answered'])
  })

  it('T6: a release that fails leaves a success a success, with a warning', async () => {
    const logger = collectLogger()
    const service = createSubagentService({
      providers: [unreleasable(Promise.resolve(answer({ output: [text('three')] })))],
      logger: collectLogger(),
    })
    expect(await defineSubagentTool({ service, provider: 'helper', parent, logger }).execute(task)).toEqual({
      isError: false,
      content: [text('three')],
    })
    expect(logger.warnings).toEqual([expect.stringMatching(/^Tool subagent: run .* completed, but its release failed: the lock is stuck$/)])
  })

  it.each([
    ['failed', () => Promise.resolve(answer({ stopReason: 'error', diagnostic: 'acme failed.' })), 'The subagent failed.\n\nacme failed.'],
    ['rejected', () => Promise.reject(new Error('the pipe broke')), 'the pipe broke'],
  ] as const)('T6: after a run that %s, a release that fails is told beside it', async (_, result, message) => {
    const service = createSubagentService({ providers: [unreleasable(result())], logger: collectLogger() })
    expect(await defineSubagentTool({ service, provider: 'helper', parent }).execute(task)).toEqual(
      error(`${message}\n\nIts release failed as well: the lock is stuck`),
    )
  })
})

it('T10: parallel calls answer each with its own', async () => {
  const gates = new Map<string, () => void>()
  const service = serviceWith(
    ({ prompt: [block] }) =>
      new Promise((resolve) => gates.set((block as { text: string }).text, () => resolve(`to ${(block as { text: string }).text}`))),
  )
  const tool = defineSubagentTool({ service, provider: 'helper', parent })
  const calls = ['a', 'b', 'c'].map((prompt) => tool.execute({ description: 'x', prompt }))
  await until(() => gates.size === 3)
  for (const name of ['c', 'a', 'b']) gates.get(name)!()
  expect((await Promise.all(calls)).map(({ content }) => content)).toEqual([[text('to a')], [text('to b')], [text('to c')]])
})
