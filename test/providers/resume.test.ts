import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tool } from 'ai'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createAgents } from '../../src/agents/index.ts'
import { createSubagentService, defineProvider, depthOf, rootAgent } from '../../src/index.ts'
import { forkProvider, spawnProvider } from '../../src/providers/index.ts'
import { scriptedModel } from '../../src/testing/index.ts'
import type { ScriptedCall, ScriptedStep } from '../../src/testing/index.ts'
import { subagentTool } from '../../src/tools/index.ts'
import { collectLogger, textOf, until } from './collect.ts'
import { setUp, talk } from './set-up.ts'

const parent = rootAgent({ cwd: '/project' })
const outputSchema = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] }
const give = (input: unknown): ScriptedStep => ({ tools: [{ name: 'structured_output', input }] })
const said = ({ prompt }: ScriptedCall): string[] =>
  prompt.flatMap(({ role, content }) =>
    typeof content === 'string' ? [] : [`${role}: ${content.map((part) => ('text' in part ? part.text : `<${part.type}>`)).join('')}`],
  )

describe.each(['spawn', 'fork'])('a settled run of %s', (provider) => {
  it('P12: goes on in a new run with the same session, and the outcome is that of the new run alone', async () => {
    const { agents, service, model, logOf } = setUp([
      { text: 'one', usage: { inputTokens: 10, outputTokens: 1 } },
      { text: 'two', usage: { inputTokens: 20, outputTokens: 2 } },
    ])
    const events: string[] = []
    service.on('*', (event) => {
      if (event.type === 'subagent/start' || event.type === 'subagent/end') events.push(`${event.type} ${event.runId}`)
    })
    const run = service.start(provider, { parent, prompt: 'first', id: 'run-1', label: 'Count' })
    const first = await run.result
    const again = run.resume!('second')
    expect(agents.get(again.id)!.session.header).toMatchObject({ id: first.sessionId, cwd: '/project', delegationDepth: 1 })
    expect([again.id === run.id, again.runId === run.runId]).toEqual([false, false])
    expect(await again.result).toEqual({
      output: [{ type: 'text', text: 'two' }],
      stopReason: 'completed',
      usage: expect.objectContaining({ inputTokens: 20, outputTokens: 2 }),
      sessionId: first.sessionId,
    })
    expect(await run.result).toBe(first)
    expect(said(model.calls[1]!)).toEqual(['user: first', 'assistant: one', 'user: second'])
    expect(logOf(again.id)).toEqual([
      'turn 1',
      'user "first"',
      'assistant "one"',
      'end 1 completed',
      'turn 2',
      'user "second"',
      'assistant "two"',
      'end 2 completed',
    ])
    expect(events).toEqual(['subagent/start run-1', 'subagent/end run-1', `subagent/start ${again.runId}`, `subagent/end ${again.runId}`])
    await service.close()
    expect(agents.list()).toEqual([])
  })

  it.each<[string, ScriptedStep, object]>([
    ['error', { error: { message: 'no', status: 400 } }, {}],
    ['max-tokens', { text: 'half', finish: 'length' }, {}],
    ['refusal', { text: 'no', finish: 'content-filter' }, {}],
    ['error', { text: 'on and on', tools: [{ name: 'look' }] }, { agentOptions: { maxSteps: 1 } }],
  ])('P12: one that ended as %s goes on too', async (stopReason, step, request) => {
    const look = tool({ inputSchema: z.object({}), execute: () => 'seen' })
    const { service } = setUp([step, 'better'], { tools: { look } })
    const run = service.start(provider, { parent, prompt: 'first', ...request })
    expect((await run.result).stopReason).toBe(stopReason)
    expect(await run.resume!('again').result).toMatchObject({ stopReason: 'completed', output: [{ text: 'better' }] })
    await service.close()
  })

  it('P12, P7: one that was cancelled goes on, and one that is cancelled again before it begins gives nothing of the first', async () => {
    const { service, model } = setUp([{ text: 'half', hang: true }, 'whole', 'not asked'])
    const run = service.start(provider, { parent, prompt: 'first' })
    for await (const update of run.updates) if (update.type === 'text') break
    run.cancel()
    expect(await run.result).toMatchObject({ stopReason: 'aborted', output: [{ text: 'half' }] })
    const again = run.resume!('go on')
    expect(textOf(await again.result)).toBe('whole')
    const last = again.resume!('more')
    last.cancel()
    const { stopReason, output, usage } = await last.result
    expect([stopReason, output, usage, model.calls.length]).toEqual(['aborted', [], undefined, 2])
    await service.close()
  })

  it('P12: a resumed run that says nothing gives nothing, never the answer of the run before', async () => {
    const { service } = setUp(['one', { text: '', finish: 'length' }])
    const run = service.start(provider, { parent, prompt: 'first' })
    await run.result
    expect(await run.resume!('second').result).toMatchObject({ stopReason: 'max-tokens', output: [] })
    await service.close()
  })

  it('P12, P13: also when the first was disposed, and a chain of them; what was ended stays ended', async () => {
    const { agents, service, model } = setUp(['one', 'two', 'three'])
    const run = service.start(provider, { parent, prompt: '1' })
    await run.result
    await run.dispose()
    expect(agents.list()).toEqual([])
    const second = run.resume!('2')
    await second.result
    const third = second.resume!('3')
    await second.dispose()
    expect(textOf(await third.result)).toBe('three')
    expect(said(model.calls[2]!)).toEqual(['user: 1', 'assistant: one', 'user: 2', 'assistant: two', 'user: 3'])
    expect(agents.list().map(({ id }) => id)).toEqual([third.id])
    await third.dispose()
    expect(agents.list()).toEqual([])
  })

  it('P12: resumed twice in a row, the second goes on where the first has come to; while that one works it is refused', async () => {
    const { agents, service, model } = setUp(['one', { text: 'half', hang: true }, 'three'])
    const run = service.start(provider, { parent, prompt: '1' })
    await run.result
    const second = run.resume!('2')
    await until(() => model.calls.length === 2)
    expect(() => run.resume!('3')).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', message: expect.stringMatching(/has work to do/) }),
    )
    second.cancel()
    await second.result
    const third = run.resume!('3')
    expect(textOf(await third.result)).toBe('three')
    expect(said(model.calls[2]!).filter((line) => line.startsWith('user'))).toEqual(['user: 1', 'user: 2', 'user: 3'])
    await service.close()
    expect(agents.list()).toEqual([])
  })

  it('P12, P9: the schema of the first request holds for the next, with a result of its own', async () => {
    const { service } = setUp([give({ answer: 1 }), give({ answer: 2 }), 'just text'])
    const run = service.start(provider, { parent, prompt: 'first', outputSchema })
    expect((await run.result).structured).toEqual({ answer: 1 })
    const again = run.resume!('second')
    expect((await again.result).structured).toEqual({ answer: 2 })
    const last = await again.resume!('third').result
    expect([last.stopReason, last.failure?.code, 'structured' in last]).toEqual(['error', 'NO_STRUCTURED_OUTPUT', false])
    await service.close()
  })

  it('P12, P14: works after the provider was removed only as a start would: it is refused by name', async () => {
    const { agents } = setUp(['one'])
    const service = createSubagentService({ logger: collectLogger() })
    const make = provider === 'spawn' ? spawnProvider : forkProvider
    const remove = service.registerProvider(make({ agents }))
    const run = service.start(provider, { parent, prompt: '1' })
    await run.result
    remove()
    expect(() => run.resume!('2')).toThrow(expect.objectContaining({ code: 'NO_PROVIDER' }))
    await service.close()
  })
})

describe('what a resumed child is to others', () => {
  it('S22, P12: its own children belong to its run: they end before it, and are cancelled with it', async () => {
    const { agents, service } = setUp(
      (call) => {
        if (call.lastUserText === 'leaf') return { text: 'half', hang: true }
        if (call.lastUserText === 'delegate') return { tools: [{ name: 'subagent', input: { description: 'Leaf', prompt: 'leaf' } }] }
        return 'hello'
      },
      { tools: () => ({ subagent }) },
    )
    const subagent = subagentTool({ service, provider: 'spawn' })
    const run = service.start('spawn', { parent, prompt: 'hi', id: 'first' })
    await run.result
    const events: string[] = []
    service.on('subagent/start', ({ runId, parentRunId, label }) => events.push(`start ${label ?? runId} below ${parentRunId}`))
    service.on('subagent/end', ({ runId, stopReason }) => events.push(`end ${runId === again.runId ? 'again' : 'leaf'} ${stopReason}`))
    const again = run.resume!('delegate')
    await until(() => events.length === 2)
    const leaf = agents.list().find(({ id }) => id !== run.id && id !== again.id)!
    expect(depthOf(leaf)).toBe(2)
    again.cancel()
    await again.result
    expect(events).toEqual([
      `start ${again.runId} below undefined`,
      `start Leaf below ${again.runId}`,
      'end leaf aborted',
      'end again aborted',
    ])
    await service.close()
  })

  it('P13, S22: a parent that is disposed takes a resumed child along', async () => {
    const { agents, service, model } = setUp(['parent', 'one', { text: 'half', hang: true }])
    const above = agents.create()
    await talk(above.agent, 'hi')
    const run = service.start('fork', { parent: above.agent, prompt: '1' })
    await run.result
    const again = run.resume!('2')
    await until(() => model.calls.length === 3)
    await above.dispose()
    expect((await again.result).stopReason).toBe('aborted')
    await again.dispose()
    expect(agents.list()).toEqual([])
  })

  it('P8, P5: of a fork that is resumed neither what it inherited nor its first answer is read', async () => {
    const { agents, service, model } = setUp(['of the parent', 'one', 'two'])
    const above = agents.create()
    await talk(above.agent, 'hi')
    const run = service.start('fork', { parent: above.agent, prompt: '1' })
    await run.result
    const again = run.resume!('2')
    expect(textOf(await again.result)).toBe('two')
    expect(said(model.calls[2]!)).toEqual(['user: hi', 'assistant: of the parent', 'user: 1', 'assistant: one', 'user: 2'])
    expect(agents.get(again.id)!.session.header.seedLength).toBe(4)
    await service.close()
  })
})

describe('service.resume', () => {
  let directory: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'subagents-resume-'))
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  /** A process of its own, as far as sessions go. */
  function start(steps: Parameters<typeof scriptedModel>[0], system?: string) {
    const model = scriptedModel(steps)
    const logger = collectLogger()
    const look = tool({ inputSchema: z.object({}), execute: () => 'seen' })
    const agents = createAgents({ model, logger, sessions: { directory }, tools: { look }, ...(system !== undefined && { system }) })
    const service = createSubagentService({ providers: [spawnProvider({ agents }), forkProvider({ agents })], logger })
    return { model, agents, service, logger }
  }
  async function first(provider = 'spawn', request: object = {}): Promise<string> {
    const { service } = start(['one'])
    const { sessionId } = await service.delegate(provider, { parent, prompt: 'first', ...request })
    await service.close()
    return sessionId!
  }

  it.each(['spawn', 'fork'])(
    'P12, G8: %s continues a kept session after a restart, with everything that a start does',
    async (provider) => {
      const sessionId = await first(provider)
      const { agents, service, model } = start([{ text: 'two', usage: { inputTokens: 20, outputTokens: 2 } }, 'three'])
      const events: string[] = []
      service.on('subagent/start', ({ runId, label, id }) =>
        events.push(`start ${runId} ${label} ${agents.get(id)?.session.header.id === sessionId}`),
      )
      service.on('subagent/end', ({ runId, stopReason }) => events.push(`end ${runId} ${stopReason}`))
      const run = service.resume(provider, { sessionId, prompt: 'second', id: 'again', label: 'Again' })
      expect(await run.result).toEqual({
        output: [{ type: 'text', text: 'two' }],
        stopReason: 'completed',
        usage: expect.objectContaining({ inputTokens: 20, outputTokens: 2 }),
        sessionId,
      })
      expect(said(model.calls[0]!)).toEqual(['user: first', 'assistant: one', 'user: second'])
      expect(events).toEqual(['start again Again true', 'end again completed'])
      expect(agents.get(run.id)!.session.header).toMatchObject({ cwd: '/project', delegationDepth: 1 })
      // And on from there, by the run itself.
      expect(textOf(await run.resume!('third').result)).toBe('three')
      await service.close()
    },
  )

  it('P12, P9, P10, P11: schema, filter and persona are those of the request', async () => {
    const sessionId = await first()
    const { service, model } = start([give({ answer: 3 })], 'Factory.')
    const request = { sessionId, prompt: 'second', outputSchema, toolFilter: { allow: [] }, persona: 'You are terse.' }
    expect((await service.resume('spawn', request).result).structured).toEqual({ answer: 3 })
    expect(model.calls[0]!.tools).toEqual(['structured_output'])
    expect(model.calls[0]!.prompt[0]).toMatchObject({ role: 'system', content: expect.stringMatching(/^You are terse\./) })
    await service.close()
  })

  it("P12, P1: the depth is the session's or the parent's plus one, whichever is deeper, and no request says otherwise", async () => {
    const sessionId = await first('spawn', { parent: rootAgent({ depth: 2 }) })
    const { agents, service } = start(() => 'ok')
    const depthWith = async (request: object) => {
      const run = service.resume('spawn', { sessionId, prompt: 'go', ...request })
      const depth = depthOf(agents.get(run.id)!)
      await run.result
      await run.dispose()
      return depth
    }
    expect(await depthWith({})).toBe(3)
    expect(await depthWith({ agentOptions: { subagentDepth: 9 } })).toBe(3)
    expect(await depthWith({ parent: rootAgent({ depth: 5 }) })).toBe(6)
    expect(await depthWith({ maxDepth: 3 })).toBe(3)
    await service.close()
  })

  it('P12, P2: a session that is deeper than maxDepth is refused out of resume; no child, no events, and the session is free', async () => {
    const sessionId = await first('spawn', { parent: rootAgent({ depth: 2 }) })
    const { agents, service } = start(() => 'ok')
    const events: string[] = []
    service.on('*', ({ type }) => events.push(type))
    const attempt = (request: object) => () => service.resume('spawn', { sessionId, prompt: 'go', ...request })
    expect(attempt({ maxDepth: 2 })).toThrow(expect.objectContaining({ code: 'DEPTH_EXCEEDED', attemptedDepth: 3, maxDepth: 2 }))
    expect(attempt({ maxDepth: 3, parent: rootAgent({ depth: 3 }) })).toThrow(
      expect.objectContaining({ code: 'DEPTH_EXCEEDED', attemptedDepth: 4 }),
    )
    expect([events, agents.list()]).toEqual([[], []])
    expect((await service.resume('spawn', { sessionId, prompt: 'go', maxDepth: 3 }).result).stopReason).toBe('completed')
    await service.close()
  })

  it('P12, S8, S10, S11: what is wrong with the request is said at once, and leaves nothing', async () => {
    const sessionId = await first()
    const { agents, service } = start([])
    service.registerProvider(defineProvider({ name: 'function', run: () => 'ok' }))
    const resume = (name: string, request: object) => () => service.resume(name, { sessionId, prompt: 'go', ...request })
    expect(resume('nobody', {})).toThrow(expect.objectContaining({ code: 'NO_PROVIDER' }))
    expect(resume('function', {})).toThrow(
      expect.objectContaining({ code: 'UNSUPPORTED_CAPABILITY', message: expect.stringMatching(/"function" cannot continue a session/) }),
    )
    expect(resume('spawn', { prompt: '' })).toThrow(/prompt must be/)
    expect(resume('spawn', { sessionId: '' })).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', message: expect.stringMatching(/^sessionId must be/) }),
    )
    expect(resume('spawn', { sessionId: undefined })).toThrow(/sessionId must be a non-empty string, got undefined/)
    expect(resume('spawn', { sessionId: 'session-of-nobody' })).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }))
    expect(resume('spawn', { toolFilter: { allow: ['nothing'] } })).toThrow(/names tools that do not exist/)
    expect(() => service.resume('spawn', undefined as never)).toThrow(/request must be an object/)
    expect(agents.list()).toEqual([])
    await service.close()
    expect(resume('spawn', {})).toThrow(expect.objectContaining({ code: 'REGISTRY_CLOSED' }))
  })

  it('P12: without a directory for sessions there is nothing to resume, and a session that is at work is refused', async () => {
    const { service: none } = setUp([])
    expect(() => none.resume('spawn', { sessionId: 'session-1', prompt: 'go' })).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST' }),
    )
    const { service, model } = start([{ text: 'half', hang: true }])
    const run = service.start('spawn', { parent, prompt: 'go' })
    await until(() => model.calls.length === 1)
    const { sessionId } = await (run.cancel(), run.result)
    expect(() => service.resume('spawn', { sessionId: sessionId!, prompt: 'go' })).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST' }),
    )
    await service.close()
  })

  it('P12, S12, S21, R7: signal, slots and cancel are those of any run', async () => {
    const sessionId = await first()
    const model = scriptedModel(() => ({ text: 'half', hang: true }))
    const agents = createAgents({ model, logger: collectLogger(), sessions: { directory } })
    const service = createSubagentService({ providers: [spawnProvider({ agents })], maxConcurrentRuns: 1, logger: collectLogger() })
    expect(await service.resume('spawn', { sessionId, prompt: 'go', signal: AbortSignal.abort() }).result).toMatchObject({
      stopReason: 'aborted',
      output: [],
    })
    const blocker = service.start('spawn', { parent, prompt: 'hold' })
    const waiting = service.resume('spawn', { sessionId, prompt: 'go' })
    expect(waiting.ref.getSnapshot().value).toEqual({ validating: 'queued' })
    blocker.cancel()
    await until(() => agents.get(waiting.id)?.status === 'running')
    waiting.cancel()
    expect((await waiting.result).stopReason).toBe('aborted')
    await service.close()
  })
})
