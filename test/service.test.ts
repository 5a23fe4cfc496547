import * as valibot from 'valibot'
import { describe, expect, it } from 'vitest'
import { createActor } from 'xstate'
import * as zod from 'zod'
import { createAgents } from '../src/agents/index.ts'
import { createSubagentService, defineProvider, rootAgent, SubagentError, subagentRegistry } from '../src/index.ts'
import type { ParentAgent, ResolvedStartRequest, SubagentProvider, SubagentServiceOptions, SubagentStartRequest } from '../src/index.ts'
import { spawnProvider } from '../src/providers/index.ts'
import { scriptedModel } from '../src/testing/scripted-model.ts'
import { scriptedProvider } from '../src/testing/scripted-provider.ts'
import { collectLogger, line } from './registry/drivers.ts'
import { liveRuns } from './registry/live-runs.ts'
import { processFaults } from './registry/process-faults.ts'

const parent = rootAgent({ cwd: '/project' })
const go: SubagentStartRequest = { parent, prompt: 'go' }

function open(
  steps: Parameters<typeof scriptedProvider>[0],
  options: Parameters<typeof scriptedProvider>[1] = {},
  more: SubagentServiceOptions = {},
) {
  const provider = scriptedProvider(steps, options)
  const logger = collectLogger()
  let made = 0
  const service = createSubagentService({ providers: [provider], logger, createId: () => `run-${++made}`, ...more })
  const seen: string[] = []
  service.on('*', (event) => void seen.push(line(event)))
  return { provider, service, seen, logger, children: provider.children }
}

function expectDeeplyFrozen(value: unknown, path = 'resolved'): void {
  if (typeof value !== 'object' || value === null) return
  expect(Object.isFrozen(value), path).toBe(true)
  for (const [key, part] of Object.entries(value)) expectDeeplyFrozen(part, `${path}.${key}`)
}

describe('what a provider gets of a request', () => {
  it('V3: the request as JSON is whole, frozen to its depth, and survives JSON', () => {
    const { service, children } = open(() => ({ hang: true }), {}, { timeoutMs: 60_000 })
    const model = { provider: 'live', doGenerate: () => {} }
    service.start('scripted', {
      parent,
      prompt: 'go',
      id: 'mine',
      label: 'short',
      signal: new AbortController().signal,
      agentOptions: { model, maxSteps: 3, headers: { 'x-a': ['b'] }, nothing: undefined } as object,
      outputSchema: { type: 'object', properties: { n: { type: 'integer', enum: [1, 2] } } },
      maxDepth: 4,
      toolFilter: { allow: ['read', 'search'], deny: ['search'] },
      persona: 'terse',
      cancelGraceMs: 100,
    })
    const { resolved } = children[0]!.context
    const whole: ResolvedStartRequest = {
      runId: 'mine',
      prompt: [{ type: 'text', text: 'go' }],
      parent: { agentId: 'root', sessionId: 'root', cwd: '/project', depth: 0, lineage: ['root'] },
      depth: 1,
      label: 'short',
      agentOptions: { maxSteps: 3, headers: { 'x-a': ['b'] } },
      outputSchema: { type: 'object', properties: { n: { type: 'integer', enum: [1, 2] } } },
      maxDepth: 4,
      toolFilter: { allow: ['read', 'search'], deny: ['search'] },
      persona: 'terse',
      timeoutMs: 60_000,
      cancelGraceMs: 100,
      releaseGraceMs: 10_000,
    }
    expect(resolved).toStrictEqual(whole)
    expect(JSON.parse(JSON.stringify(resolved))).toStrictEqual(whole)
    expectDeeplyFrozen(resolved)
  })

  it('V3: the least request has its defaults filled, and nothing that was not asked', () => {
    const { service, children } = open(() => ({ hang: true }))
    service.start('scripted', go)
    expect(children[0]!.context.resolved).toStrictEqual({
      runId: 'run-1',
      prompt: [{ type: 'text', text: 'go' }],
      parent: { agentId: 'root', sessionId: 'root', cwd: '/project', depth: 0, lineage: ['root'] },
      depth: 1,
      cancelGraceMs: 5000,
      releaseGraceMs: 10_000,
    })
  })

  it('V3: the provider sees the prompt as blocks, the live parent, the model as it was given, and a signal of the run', () => {
    const { service, children } = open(() => ({ hang: true }))
    const controller = new AbortController()
    const model = { live: () => {} }
    const run = service.start('scripted', { ...go, signal: controller.signal, agentOptions: { model } })
    const { request, context } = children[0]!
    expect(request.prompt).toEqual([{ type: 'text', text: 'go' }])
    expect(request.parent).toBe(parent)
    expect(request.agentOptions!.model).toBe(model)
    expect([request.signal === context.signal, request.signal === controller.signal, request.signal.aborted]).toEqual([true, false, false])
    run.cancel('enough')
    expect([request.signal.aborted, (request.signal.reason as Error).message, controller.signal.aborted]).toEqual([true, 'enough', false])
  })

  it('V3: the signal of the run is linked with the caller’s, the deadline and the close', async () => {
    const reasons = async (end: (service: ReturnType<typeof open>['service'], abort: AbortController) => void): Promise<unknown> => {
      const { service, children } = open(() => ({ hang: true }))
      const abort = new AbortController()
      service.start('scripted', { ...go, signal: abort.signal })
      const { signal } = children[0]!.context
      end(service, abort)
      expect(signal.aborted).toBe(true)
      await service.close()
      return signal.reason
    }
    const own = new Error('the caller left')
    expect(await reasons((_service, abort) => abort.abort(own))).toBe(own)
    expect(await reasons((service) => void service.close())).toMatchObject({ name: 'AbortError', message: 'the service is closing' })
  })

  it('V3: what the caller changes after the start, neither provider nor resolved request sees', () => {
    const { service, children } = open(() => ({ hang: true }))
    const request = {
      parent,
      prompt: [{ type: 'text' as const, text: 'as asked' }],
      agentOptions: { maxSteps: 3, headers: { a: 1 } },
      outputSchema: { type: 'object', required: ['a'] },
      toolFilter: { allow: ['read'] },
      persona: 'terse',
    }
    service.start('scripted', request)
    const before = structuredClone(children[0]!.context.resolved)
    request.prompt[0]!.text = 'changed'
    request.agentOptions.maxSteps = 99
    request.agentOptions.headers.a = 2
    request.outputSchema.required.push('b')
    request.toolFilter.allow.push('delete')
    request.persona = 'rude'
    const { context, request: seen } = children[0]!
    expect(context.resolved).toEqual(before)
    expect([seen.prompt, seen.agentOptions, seen.outputSchema, seen.toolFilter, seen.persona]).toEqual([
      [{ type: 'text', text: 'as asked' }],
      { maxSteps: 3, headers: { a: 1 } },
      { type: 'object', required: ['a'] },
      { allow: ['read'] },
      'terse',
    ])
  })

  it('V3, P1: the parent reference carries depth and lineage from the outermost caller down', () => {
    const { service, children } = open((_request, { runId }) => ({ id: `agent of ${runId}`, hang: true }))
    const agent = (id: string, delegationDepth: number): ParentAgent => ({ ...rootAgent({ id, depth: delegationDepth }) })
    service.start('scripted', { ...go, parent: agent('top', 2), toolFilter: { deny: ['write'] } })
    service.start('scripted', { ...go, parent: agent('agent of run-1', 3) })
    expect(
      children.map(({ context: { resolved } }) => [
        resolved.depth,
        resolved.parent.depth,
        resolved.parent.lineage,
        resolved.parent.toolFilter,
      ]),
    ).toEqual([
      [3, 2, ['top'], undefined],
      [4, 3, ['top', 'agent of run-1'], { deny: ['write'] }],
    ])
  })
})

describe('output schemas', () => {
  it('S11, V4: a zod schema reaches the provider as it is, and the resolved request as JSON Schema', async () => {
    const { service, children } = open([{ structured: { answer: 'yes' } }])
    const schema = zod.object({ answer: zod.string(), sure: zod.boolean().optional() })
    const { structured } = await service.delegate('scripted', { ...go, outputSchema: schema })
    expect(structured).toEqual({ answer: 'yes' })
    expect(children[0]!.request.outputSchema).toBe(schema)
    expect(children[0]!.context.resolved.outputSchema).toMatchObject({
      type: 'object',
      properties: { answer: { type: 'string' }, sure: { type: 'boolean' } },
      required: ['answer'],
    })
    expectDeeplyFrozen(children[0]!.context.resolved.outputSchema)
  })

  it('S11: a schema that cannot give its JSON Schema is refused, and the message names the package that converts it', () => {
    const { service, children } = open([])
    const schema = valibot.object({ answer: valibot.string() })
    expect(() => service.start('scripted', { ...go, outputSchema: schema })).toThrow(
      expect.objectContaining({
        code: 'INVALID_REQUEST',
        message: expect.stringMatching(/^outputSchema .*valibot.*@valibot\/to-json-schema/) as unknown,
      }),
    )
    expect(children).toEqual([])
  })

  it('S11: a schema that gives its JSON Schema is taken, of whatever library', async () => {
    const { service, children } = open([{ structured: { answer: 'yes' } }])
    const base = valibot.object({ answer: valibot.string() })
    const targets: unknown[] = []
    const schema = {
      ...base,
      '~standard': {
        ...base['~standard'],
        jsonSchema: {
          input: (options: unknown) => (targets.push(options), { type: 'object', properties: { answer: { type: 'string' } } }),
          output: () => ({ type: 'object' }),
        },
      },
    }
    const { structured } = await service.delegate('scripted', { ...go, outputSchema: schema })
    expect(structured?.answer).toBe('yes')
    expect(children[0]!.context.resolved.outputSchema).toEqual({ type: 'object', properties: { answer: { type: 'string' } } })
    expect(targets).toEqual([{ target: 'draft-2020-12' }])
  })

  it('S11: one whose conversion throws, or has no object at its root, is refused with the reason', () => {
    const { service } = open([])
    const cause = new Error('no JSON Schema for this')
    const failing = {
      '~standard': {
        version: 1,
        vendor: 'homemade',
        validate: () => ({ value: 1 }),
        jsonSchema: {
          input: () => {
            throw cause
          },
        },
      },
    }
    expect(() => service.start('scripted', { ...go, outputSchema: failing })).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', cause }),
    )
    for (const schema of [zod.string(), zod.array(zod.object({})), zod.object({ when: zod.date() })])
      expect(() => service.start('scripted', { ...go, outputSchema: schema })).toThrow(
        expect.objectContaining({ code: 'INVALID_REQUEST', message: expect.stringMatching(/^outputSchema /) as unknown }),
      )
  })

  it('V4: structured is there if and only if a schema was asked for and the child honoured it', async () => {
    const { service } = open([
      { structured: 1 },
      { structured: 1 },
      {},
      { structured: 1, stopReason: 'max-tokens' },
      { structured: 0 },
      { structured: null },
    ])
    const outputSchema = { type: 'object' }
    const present: unknown[] = []
    for (const asked of [undefined, outputSchema, outputSchema, outputSchema, outputSchema, outputSchema]) {
      const result = await service.delegate('scripted', { ...go, ...(asked && { outputSchema: asked }) })
      present.push('structured' in result ? [result.structured] : 'absent')
    }
    expect(present).toEqual(['absent', [1], 'absent', 'absent', [0], [null]])
  })
})

describe('the handle', () => {
  it('V5: has the optional methods only where the child has them', () => {
    const plain = open(() => ({ hang: true })).service.start('scripted', go)
    expect(['sendMessage' in plain, 'resume' in plain, Object.keys(plain)]).toEqual([false, false, []])
    const able = open(() => ({ hang: true }), { steerable: true, resumable: true }).service.start('scripted', go)
    expect(['sendMessage' in able, 'resume' in able]).toEqual([true, true])
  })

  it('V5: a message goes in as blocks of our own while the run is unsettled; after that it is refused', async () => {
    const { service, children } = open(() => ({ hang: true }), { steerable: true })
    const run = service.start('scripted', go)
    run.sendMessage!('by the way')
    run.sendMessage!([{ type: 'text', text: 'and' }])
    expect(children[0]!.messages).toEqual([[{ type: 'text', text: 'by the way' }], [{ type: 'text', text: 'and' }]])
    expect(() => run.sendMessage!('')).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }))
    children[0]!.settle()
    await run.result
    expect(() => run.sendMessage!('too late')).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }))
    expect(children[0]!.messages).toHaveLength(2)
  })

  it('V5: a settled run is continued in a new run, with events and id of its own', async () => {
    const { service, seen, children } = open(() => ({ hang: true }), { resumable: true })
    const first = service.start('scripted', { ...go, label: 'short' })
    expect(() => first.resume!('more')).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }))
    children[0]!.settle()
    await first.result
    const second = first.resume!('more')
    expect(children[1]!.request.prompt).toEqual([{ type: 'text', text: 'more' }])
    children[1]!.settle()
    await second.result
    expect(seen).toEqual([
      'subagent/start scripted run-1',
      'subagent/end scripted run-1 completed',
      'subagent/start scripted run-2',
      'subagent/end scripted run-2 completed',
    ])
    await service.close()
    expect(children.map(({ disposals }) => disposals)).toEqual([1, 1])
  })

  it('S14: the child agent of an in-process provider is to be had inside subagent/start', async () => {
    const agents = createAgents({ model: scriptedModel(['done']) })
    const service = createSubagentService({ providers: [spawnProvider({ agents })] })
    const found: unknown[] = []
    service.on('subagent/start', ({ id, runId }) => void found.push(agents.get(id)?.id === id, id !== runId))
    await service.delegate('spawn', go)
    expect(found).toEqual([true, true])
    expect(agents.list()).toEqual([])
  })

  it('R15: 200 runs on one signal print no warning, and hear it all', async () => {
    const { service, children } = open(() => ({ hang: true }))
    const controller = new AbortController()
    const faults = await processFaults(async () => {
      const runs = Array.from({ length: 200 }, () => service.start('scripted', { ...go, signal: controller.signal }))
      for (const { context } of children) void context.signal
      controller.abort(new Error('enough'))
      expect(new Set((await Promise.all(runs.map(({ result }) => result))).map(({ stopReason }) => stopReason))).toEqual(
        new Set(['aborted']),
      )
    })
    expect([faults, new Set(children.map(({ cancels }) => cancels.join()))]).toEqual([[], new Set(['enough'])])
    await service.close()
  })
})

describe('delegate', () => {
  it('S28: starts, awaits, disposes and returns the result, whatever it is', async () => {
    const failure = { code: 'MODEL_ERROR', phase: 'running', retryable: false, message: 'no' } as const
    const { service, children, seen } = open(['done', { stopReason: 'error', failure }])
    expect(await service.delegate('scripted', go)).toEqual({ output: [{ type: 'text', text: 'done' }], stopReason: 'completed' })
    expect(liveRuns(service)).toEqual([])
    expect(await service.delegate('scripted', { ...go, signal: AbortSignal.abort() })).toEqual({ output: [], stopReason: 'aborted' })
    expect(await service.delegate('scripted', go)).toMatchObject({ stopReason: 'error', failure })
    expect([liveRuns(service), children.map(({ disposals }) => disposals)]).toEqual([[], [1, 1]])
    expect(seen.filter((entry) => entry.includes('/end'))).toEqual([
      'subagent/end scripted run-1 completed',
      'subagent/end scripted run-2 aborted',
      'subagent/end scripted run-3 error',
    ])
  })

  it('S28: rejects as start throws, and as the result rejects, and disposes on that path too', async () => {
    const startError = new Error('no room')
    const broken = new Error('the wire broke')
    const { service, children } = open([{ startError }, { reject: broken }])
    await expect(service.delegate('nobody', go)).rejects.toMatchObject({ code: 'NO_PROVIDER' })
    await expect(service.delegate('scripted', go)).rejects.toBe(startError)
    await expect(service.delegate('scripted', go)).rejects.toBe(broken)
    expect([liveRuns(service), children.at(-1)!.disposals]).toEqual([[], 1])
  })

  it('S28: a release that fails does not change what the child achieved', async () => {
    const { service, logger } = open([{ text: 'done', release: { error: new Error('still held') } }])
    expect((await service.delegate('scripted', go)).output).toEqual([{ type: 'text', text: 'done' }])
    expect(logger.warnings).toEqual(['The release of run run-1 (provider scripted) failed: Error: still held'])
  })
})

describe('a service', () => {
  it('S5, S19: its methods stand by themselves, and a subscription ends as XState’s does', async () => {
    const { start, getProvider, list, on, registerProvider, close, delegate } = open(() => 'done').service
    const heard: string[] = []
    const subscription = on('subagent/end', ({ runId }) => void heard.push(runId))
    expect([list(), getProvider('scripted')?.name]).toEqual([['scripted'], 'scripted'])
    await start('scripted', go).result
    subscription.unsubscribe()
    await delegate('scripted', go)
    registerProvider(defineProvider({ name: 'mine', run: () => 'mine' }))()
    await close()
    expect(heard).toEqual(['run-1'])
  })

  it('V3, S14: gives the request of a live run as it was resolved, from its start event on and until it is disposed', async () => {
    const { service } = open(() => 'done')
    const heard: unknown[] = []
    for (const type of ['subagent/start', 'subagent/end'] as const)
      service.on(type, ({ runId }) => void heard.push(service.getRequest(runId)?.parent.cwd))
    const run = service.start('scripted', { ...go, label: 'first' })
    expect(service.getRequest('run-1')).toMatchObject({ runId: 'run-1', label: 'first', depth: 1, prompt: [{ type: 'text', text: 'go' }] })
    expectDeeplyFrozen(service.getRequest('run-1'))
    await run.result
    await run.dispose()
    expect(heard).toEqual(['/project', '/project'])
    expect([service.getRequest('run-1'), service.getRequest('nobody')]).toEqual([undefined, undefined])
  })

  it('S1, S11: an option that is not known is refused, with the nearest or all that there are, by both entrances', () => {
    const refused = (message: RegExp) => expect.objectContaining({ code: 'INVALID_REQUEST', message: expect.stringMatching(message) })
    expect(() => createSubagentService({ provider: [] } as never)).toThrow(
      refused(/^A service has no option "provider"\. Did you mean providers\?$/),
    )
    expect(() => createSubagentService({ retries: 3 } as never)).toThrow(
      refused(/^A service has no option "retries"\. The options are providers, logger, .*, queue, inspect\.$/),
    )
    expect(createActor(subagentRegistry, { input: { maxConcurrentRun: 3 } as never }).getSnapshot()).toMatchObject({
      status: 'error',
      error: refused(/^A registry has no option "maxConcurrentRun"\. Did you mean maxConcurrentRuns\?$/),
    })
  })

  it('S19: a listener of events that there are none of is refused', () => {
    const service = createSubagentService()
    const refused = (message: RegExp) => expect.objectContaining({ code: 'INVALID_REQUEST', message: expect.stringMatching(message) })
    const all = 'subagent/start, subagent/update, subagent/end, subagent/provider-added, subagent/provider-removed, \\*'
    for (const [type, message] of [
      ['subagent/finished', new RegExp(`^A service has no event type "subagent/finished"\\. The event types are ${all}\\.$`)],
      ['subagent/ended', /^A service has no event type "subagent\/ended"\. Did you mean subagent\/end\?$/],
      [undefined, /^type must be the type of an event, got undefined\.$/],
    ] as const)
      expect(() => service.on(type as never, () => {})).toThrow(refused(message))
  })

  it('S19: a listener that is none is refused where it is added, not where it would be called', () => {
    const { service } = open([])
    for (const listener of [undefined, null, 'end', {}])
      expect(() => service.on('subagent/end', listener as never)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }))
  })

  it('S8, S13: ids that a createId of one’s own repeats are refused like those of a caller', () => {
    const { service } = open(() => ({ hang: true }), {}, { createId: () => 'same' })
    service.start('scripted', go)
    expect(() => service.start('scripted', go)).toThrow(expect.objectContaining({ code: 'DUPLICATE_RUN' }))
  })

  it('S20: a createId that gives no id is told so', () => {
    for (const id of [undefined, null, '', 7]) {
      const { service } = open([], {}, { createId: () => id as string })
      expect(() => service.start('scripted', go)).toThrow(
        expect.objectContaining({
          code: 'INVALID_REQUEST',
          message: expect.stringMatching(/^what createId gives must be a non-empty string/) as unknown,
        }),
      )
      expect(liveRuns(service)).toEqual([])
    }
  })

  it('S20: what it is made with is checked, and the message names the option', () => {
    const wrong: readonly (readonly [string, unknown])[] = [
      ['logger', { warn: () => {} }],
      ['clock', { now: () => 0 }],
      ['createId', 'uuid'],
      ['timeoutMs', 0],
      ['cancelGraceMs', -1],
      ['releaseGraceMs', 2147483648],
      ['providers', 'spawn'],
    ]
    for (const [option, value] of wrong) {
      let caught: unknown
      try {
        createSubagentService({ [option]: value } as SubagentServiceOptions)
      } catch (thrown) {
        caught = thrown
      }
      expect([SubagentError.is(caught, 'INVALID_REQUEST'), (caught as Error).message.startsWith(`${option} `)]).toEqual([true, true])
    }
    expect(() => createSubagentService(null as never)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }))
  })

  it('S8: two services do not know each other’s runs, providers or ids', async () => {
    const [a, b] = [open(() => ({ hang: true })), open(() => ({ hang: true }))]
    a.service.start('scripted', { ...go, id: 'same' })
    b.service.start('scripted', { ...go, id: 'same' })
    await a.service.close()
    expect([liveRuns(a.service), liveRuns(b.service), b.seen]).toEqual([[], ['same'], ['subagent/start scripted same']])
    const other: SubagentProvider = scriptedProvider([], { name: 'other' })
    b.service.registerProvider(other)
    expect(a.service.getProvider('other')).toBeUndefined()
  })
})
