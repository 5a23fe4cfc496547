import { tool } from 'ai'
import type { ToolSet } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createAgents } from '../../src/agents/index.ts'
import type { CreateAgentsOptions } from '../../src/agents/index.ts'
import { createSubagentService, depthOf, rootAgent, SubagentDepthError } from '../../src/index.ts'
import type { SubagentLifecycleEvent } from '../../src/index.ts'
import { spawnProvider } from '../../src/providers/index.ts'
import { scriptedModel } from '../../src/testing/scripted-model.ts'
import type { ScriptedStep } from '../../src/testing/scripted-model.ts'
import { describeProvider } from '../../src/testing/index.ts'
import { collectLogger, textOf, until } from './collect.ts'
import { spawnSubject } from './spawn-subject.ts'

await describeProvider('spawnProvider', spawnSubject, {
  skip: {
    A13: 'no tool of an in-process agent asks for a permission yet',
    R8: 'a turn ends at a cancel whatever its model and its tools do (G13)',
    R12: 'what goes wrong in a turn is an end of the turn, so result never rejects (P6)',
    R18: 'the agent is there when start() returned',
  },
})

function setUp(steps: Parameters<typeof scriptedModel>[0], options: CreateAgentsOptions = {}) {
  const model = scriptedModel(steps)
  const logger = collectLogger()
  const agents = createAgents({ model, logger, ...options })
  const service = createSubagentService({ providers: [spawnProvider({ agents })], logger })
  return { model, agents, service, logger }
}
const parent = rootAgent({ cwd: '/project', id: 'root' })
const hang: ScriptedStep = { text: 'half', hang: true }

describe('starting', () => {
  it('P3: the provider is named spawn unless it is given a name, and says what it can', () => {
    const { agents } = setUp([])
    expect(spawnProvider({ agents })).toMatchObject({
      name: 'spawn',
      capabilities: { outputSchema: true, depthLimit: true, toolFilter: true, persona: true },
      inheritsParentContext: false,
    })
    expect(spawnProvider({ agents, name: 'helper' }).name).toBe('helper')
    expect(() => spawnProvider({ agents: {} as never })).toThrow(/agents must be what createAgents\(\) gives/)
    expect(() => spawnProvider({ agents, name: '' })).toThrow(/name must be a non-empty string/)
  })

  it('S14, P4: inside subagent/start the child is there under the id of the run, with its prompt queued, and later does the work', async () => {
    const { agents, service, model } = setUp(['done'])
    const seen: unknown[] = []
    service.on('subagent/start', ({ id }) => {
      const child = agents.get(id)!
      // The queue is taken up in a later turn of the loop: what is sent now comes after the prompt, in the same turn.
      child.send('and this')
      seen.push([id, child.status])
    })
    const run = service.start('spawn', { parent, prompt: 'work' })
    expect(seen).toEqual([[run.id, 'idle']])
    expect(run.id).not.toBe(run.runId)
    expect(textOf(await run.result)).toBe('done')
    expect(model.calls).toHaveLength(1)
    expect(model.calls[0]!.prompt.map(({ role, content }) => [role, content])).toMatchObject([
      ['user', [{ text: 'work' }]],
      ['user', [{ text: 'and this' }]],
    ])
    await run.dispose()
  })

  it('P1, P3: the child has a fresh session with cwd, parent session and depth of its parent, and none of its messages or system prompt', async () => {
    const { agents, service, model } = setUp(['parent answers', 'child answers'], { system: 'Factory prompt.' })
    const above = agents.create({ cwd: '/elsewhere', system: 'Secret prompt of the parent.', delegationDepth: 2 })
    above.agent.send('a secret')
    await above.agent.whenIdle()
    const run = service.start('spawn', { parent: above.agent, prompt: 'work' })
    const child = agents.get(run.id)!
    expect(child.session.header).toEqual({
      version: 1,
      id: expect.any(String),
      createdAt: expect.any(Number),
      cwd: '/elsewhere',
      parentSession: above.agent.session.header.id,
      delegationDepth: 3,
    })
    expect(depthOf(child)).toBe(3)
    const { sessionId } = await run.result
    expect(sessionId).toBe(child.session.header.id)
    expect(JSON.stringify(model.calls[1]!.prompt)).not.toContain('ecret')
    expect(model.calls[1]!.prompt[0]).toMatchObject({ role: 'system', content: 'Factory prompt.' })
    await run.dispose()
    await above.dispose()
  })

  it("P3: the model is the one asked for, else the parent's, else the factory's, as object or as id", async () => {
    const named = (name: string) => scriptedModel(() => name, { modelId: name })
    const agents = createAgents({ model: named('factory'), resolveModel: (id) => named(`resolved ${id}`) })
    const service = createSubagentService({ providers: [spawnProvider({ agents })] })
    const answer = async (options: object, agentOptions?: object) =>
      textOf(await service.delegate('spawn', { parent: { ...parent, options }, prompt: 'who?', ...(agentOptions && { agentOptions }) }))
    expect(await answer({})).toBe('factory')
    expect(await answer({ model: named('parent') })).toBe('parent')
    expect(await answer({ model: 'parent-id' })).toBe('resolved parent-id')
    expect(await answer({ model: named('parent') }, { model: 'asked-id' })).toBe('resolved asked-id')
    expect(await answer({ model: 'parent-id' }, { model: named('asked') })).toBe('asked')
    expect(await answer({ model: named('parent') }, { model: undefined, maxSteps: 3 })).toBe('parent')
  })

  it('P3: where nobody names a model start throws NO_MODEL; nothing was announced, nothing is left', () => {
    const agents = createAgents({})
    const service = createSubagentService({ providers: [spawnProvider({ agents })] })
    const events: SubagentLifecycleEvent[] = []
    service.on('*', (event) => events.push(event))
    expect(() => service.start('spawn', { parent, prompt: 'work' })).toThrow(expect.objectContaining({ code: 'NO_MODEL' }))
    expect(() => service.start('spawn', { parent, prompt: 'work', agentOptions: { model: 'some-id' } })).toThrow(
      expect.objectContaining({ code: 'NO_MODEL' }),
    )
    expect(events).toEqual([])
    expect(agents.list()).toEqual([])
  })

  it('P1: a request cannot set the depth of its child, in neither direction', async () => {
    const { agents, service } = setUp(() => 'ok')
    const run = service.start('spawn', { parent: rootAgent({ depth: 1 }), prompt: 'work', agentOptions: { subagentDepth: 9, maxSteps: 7 } })
    const child = agents.get(run.id)!
    expect(depthOf(child)).toBe(2)
    expect(child.options).toEqual({ maxSteps: 7 })
    await run.dispose()
  })

  it('P2: a child below maxDepth is refused out of start, with both depths; maxDepth 0 forbids every child', () => {
    const { agents, service } = setUp([])
    const events: SubagentLifecycleEvent[] = []
    service.on('*', (event) => events.push(event))
    const attempt = (depth: number, maxDepth: number) => () =>
      service.start('spawn', { parent: rootAgent({ depth }), prompt: 'work', maxDepth })
    expect(attempt(0, 0)).toThrow(SubagentDepthError)
    expect(attempt(2, 2)).toThrow(expect.objectContaining({ code: 'DEPTH_EXCEEDED', attemptedDepth: 3, maxDepth: 2 }))
    expect(events).toEqual([])
    expect(agents.list()).toEqual([])
  })

  it('P10: a child never gets a tool that its parent was denied', async () => {
    const echo = (): ToolSet[string] => tool({ inputSchema: z.object({}), execute: () => 'ok' })
    const { agents, service, model } = setUp(() => 'ok', { tools: { read: echo(), write: echo() } })
    const above = agents.create({ toolFilter: { deny: ['write'] } })
    await service.delegate('spawn', { parent: above.agent, prompt: 'work' })
    expect(model.calls[0]!.tools).toEqual(['read'])
    await above.dispose()
  })
})

describe('the result', () => {
  it('P5, G9: a completed child gives its last message, its usage and its session; its updates came while it ran', async () => {
    const { service } = setUp(
      [
        { text: 'Let me see.', tools: [{ name: 'look', input: {} }], usage: { inputTokens: 10, outputTokens: 4 } },
        { text: ['Three ', 'of them.'], usage: { inputTokens: 20, outputTokens: 5 } },
      ],
      { tools: { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) } },
    )
    const run = service.start('spawn', { parent, prompt: 'count', label: 'Count' })
    const result = await run.result
    expect(result).toEqual({
      output: [{ type: 'text', text: 'Three of them.' }],
      stopReason: 'completed',
      usage: expect.objectContaining({ inputTokens: 30, outputTokens: 9, totalTokens: 39 }),
      sessionId: expect.any(String),
    })
    const updates: string[] = []
    for await (const update of run.updates) updates.push(update.type === 'text' ? `text ${update.text}` : update.type)
    expect(updates).toEqual(['text Let me see.', 'tool-call', 'tool-result', 'usage', 'text Three ', 'text of them.', 'usage'])
    await run.dispose()
  })

  it('P6, G12: a model that fails settles as error, MODEL_ERROR, with provider and status and without the key; what was written is kept', async () => {
    const { service } = setUp([{ text: 'half an', error: { message: 'bad key sk-abcdefghijklmnop123456', status: 400 } }])
    const result = await service.delegate('spawn', { parent, prompt: 'work' })
    expect(result).toMatchObject({
      stopReason: 'error',
      output: [{ text: 'half an' }],
      failure: { code: 'MODEL_ERROR', phase: 'running', retryable: false },
    })
    expect(result.diagnostic).toMatch(/scripted.*HTTP 400/)
    expect(JSON.stringify(result)).not.toContain('abcdefghijklmnop')
  })

  it('P6, G11: a child that uses up its steps settles as error, MAX_STEPS, its text kept', async () => {
    const { service, model } = setUp(() => ({ text: 'still looking', tools: [{ name: 'look', input: {} }] }), {
      tools: { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) },
    })
    const result = await service.delegate('spawn', { parent, prompt: 'count', agentOptions: { maxSteps: 2 } })
    expect(result).toMatchObject({
      stopReason: 'error',
      output: [{ text: 'still looking' }],
      failure: { code: 'MAX_STEPS', retryable: false },
    })
    expect(model.calls).toHaveLength(2)
  })

  it.each([
    ['max-tokens', { text: 'half a', finish: 'length' }, 'half a'],
    ['refusal', { finish: 'content-filter' }, ''],
  ] as const)('P6: %s comes through as it is', async (stopReason, step, output) => {
    const { service } = setUp([step])
    const result = await service.delegate('spawn', { parent, prompt: 'work' })
    expect([result.stopReason, textOf(result), result.failure]).toEqual([stopReason, output, undefined])
  })
})

describe('cancelling', () => {
  it('P7: a child cancelled in its work reports aborted with what it had written, and its session ends so', async () => {
    const { agents, service, model } = setUp([hang])
    const run = service.start('spawn', { parent, prompt: 'work' })
    const child = agents.get(run.id)!
    await until(() => run.ref.getSnapshot().matches('running') && child.status === 'running' && model.calls.length === 1)
    for await (const update of run.updates) if (update.type === 'text') break
    run.cancel('no longer needed')
    expect(await run.result).toMatchObject({ stopReason: 'aborted', output: [{ text: 'half' }] })
    expect(child.session.events.at(-1)).toMatchObject({ type: 'turn/end', reason: { kind: 'aborted', reason: 'no longer needed' } })
    await run.dispose()
  })

  it('P7: one whose prompt never began reports aborted and nothing, even when an injected message completed a turn in between', async () => {
    const { agents, service, model } = setUp([])
    const run = service.start('spawn', { parent, prompt: 'work' })
    const child = agents.get(run.id)!
    child.inject('by the way', { source: 'test' })
    run.cancel()
    child.inject('one more', { source: 'test' })
    expect(await run.result).toMatchObject({ stopReason: 'aborted', output: [] })
    expect(child.session.events.flatMap((event) => (event.type === 'turn/end' ? [event.reason.kind] : []))).toEqual([
      'completed',
      'aborted',
      'completed',
    ])
    expect(model.calls).toEqual([])
    await run.dispose()
  })

  it('P7: a child that somebody else cancelled reports aborted too', async () => {
    const { agents, service } = setUp(() => hang)
    const run = service.start('spawn', { parent, prompt: 'work' })
    agents.get(run.id)!.cancel('not you')
    expect(await run.result).toMatchObject({ stopReason: 'aborted', output: [] })
    await run.dispose()
  })

  it("P7, R7: the caller's signal cancels the child", async () => {
    const { service, model } = setUp([hang])
    const controller = new AbortController()
    const run = service.start('spawn', { parent, prompt: 'work', signal: controller.signal })
    await until(() => model.calls.length === 1)
    controller.abort(new Error('page closed'))
    expect((await run.result).stopReason).toBe('aborted')
    expect(model.calls[0]!.signal!.aborted).toBe(true)
    await run.dispose()
  })

  it('S12: with a signal aborted already no child exists', async () => {
    const { agents, service, model } = setUp([])
    const result = await service.delegate('spawn', { parent, prompt: 'work', signal: AbortSignal.abort() })
    expect(result).toMatchObject({ stopReason: 'aborted', output: [] })
    expect([agents.list(), model.calls]).toEqual([[], []])
  })

  it('G13, R8: a model that ignores its signal does not hold the cancel', async () => {
    const { agents, service, model } = setUp([{ text: 'half', hang: true, deaf: true }])
    const run = service.start('spawn', { parent, prompt: 'work', cancelGraceMs: 2_000_000_000 })
    for await (const update of run.updates) if (update.type === 'text') break
    run.cancel()
    const result = await run.result
    expect([result.stopReason, textOf(result), result.failure]).toEqual(['aborted', 'half', undefined])
    await run.dispose()
    expect([agents.list(), model.calls.length]).toEqual([[], 1])
  })

  it('G13, R8, R11: a tool that ignores its signal does not hold the cancel; the release waits for it', async () => {
    let answer!: (value: string) => void
    const stubborn = tool({ inputSchema: z.object({}), execute: () => new Promise<string>((resolve) => (answer = resolve)) })
    const { agents, service, logger } = setUp([{ text: 'calling', tools: [{ name: 'stubborn' }] }], { tools: { stubborn } })
    const run = service.start('spawn', { parent, prompt: 'work', cancelGraceMs: 2_000_000_000 })
    const child = agents.get(run.id)!
    await until(() => answer !== undefined)
    run.cancel()
    expect(await run.result).toMatchObject({ stopReason: 'aborted', output: [{ text: 'calling' }] })
    let released = false
    const disposal = run.dispose().then(() => (released = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect(released).toBe(false)
    answer('late')
    await disposal
    expect([child.droppedLateResults, run.leaked, logger.warnings]).toEqual([1, false, []])
  })
})

describe('disposing', () => {
  it('P13, R10: it cancels, waits for quiet, unregisters the agent; concurrent callers share it', async () => {
    const { agents, service, model } = setUp([hang])
    const run = service.start('spawn', { parent, prompt: 'work' })
    const child = agents.get(run.id)!
    await until(() => model.calls.length === 1)
    const first = run.dispose()
    expect(run.dispose()).toBe(first)
    await first
    expect(agents.get(run.id)).toBeUndefined()
    expect(child.status).toBe('disposed')
    expect(() => child.send('more')).toThrow(/disposed/)
    expect((await run.result).stopReason).toBe('aborted')
    expect(run.ref.getSnapshot().value).toBe('disposed')
  })

  it("S25, P13: the agent's actor is a child of the run's and goes with it", async () => {
    const { agents, service } = setUp(['done'])
    const run = service.start('spawn', { parent, prompt: 'work' })
    const child = agents.get(run.id)!
    expect(child.ref._parent).toBe(run.ref)
    await run.result
    await run.dispose()
    expect(child.ref.getSnapshot().status).toBe('done')
  })

  it('S7, P14: removing the provider leaves a live child alone; its end still carries the name', async () => {
    const model = scriptedModel(['done'])
    const agents = createAgents({ model })
    const service = createSubagentService()
    const remove = service.registerProvider(spawnProvider({ agents, name: 'helper' }))
    const ends: string[] = []
    service.on('subagent/end', ({ provider, stopReason }) => ends.push(`${provider} ${stopReason}`))
    const run = service.start('helper', { parent, prompt: 'work' })
    remove()
    expect(textOf(await run.result)).toBe('done')
    await run.dispose()
    expect(ends).toEqual(['helper completed'])
  })

  it('S6: closing the service ends live children', async () => {
    const { agents, service } = setUp(() => hang)
    const runs = [1, 2, 3].map(() => service.start('spawn', { parent, prompt: 'work' }))
    await service.close()
    expect(agents.list()).toEqual([])
    expect(await Promise.all(runs.map(async (run) => (await run.result).stopReason))).toEqual(['aborted', 'aborted', 'aborted'])
  })
})
