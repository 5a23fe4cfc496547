import { assign, createActor, fromPromise, setup } from 'xstate'
import type { AnyActorRef } from 'xstate'
import { describe, expect, it } from 'vitest'
import { createSubagentService, rootAgent, SubagentError } from '../../src/index.ts'
import type { ParentAgent, SubagentCapabilities, SubagentProvider, SubagentStartRequest } from '../../src/index.ts'
import { scriptedProvider } from '../../src/testing/scripted-provider.ts'
import { collectLogger, entrances, line } from './drivers.ts'
import type { Driver } from './drivers.ts'
import { liveRuns, until } from './live-runs.ts'

const parent = rootAgent({ cwd: '/project' })
const go: SubagentStartRequest = { parent, prompt: 'go' }
const all: SubagentCapabilities = { outputSchema: true, depthLimit: true, toolFilter: true, persona: true }
const none: SubagentCapabilities = { outputSchema: false, depthLimit: false, toolFilter: false }
const objectSchema = { type: 'object', properties: { answer: { type: 'string' } } }

function refusal(start: () => unknown): SubagentError {
  try {
    start()
  } catch (thrown) {
    if (SubagentError.is(thrown)) return thrown
    throw thrown
  }
  throw new Error('nothing was thrown')
}

/** Nothing of a start is left: no run, no event, no child, and a slot for the next one. */
function expectNothingLeft({ service, seen }: Driver): void {
  expect(liveRuns(service)).toEqual([])
  expect(seen.filter((entry) => !entry.startsWith('subagent/provider'))).toEqual([])
}

describe.each(entrances)('start, through %s', (_, create) => {
  it('S8, S14, S15: a start is answered at once, after subagent/start; the end follows when the child settles', async () => {
    const scripted = scriptedProvider([{ id: 'child-1', hang: true }])
    const driver = create({ providers: [scripted] })
    driver.seen.length = 0
    driver.service.on('subagent/start', () => driver.seen.push(`provider.start was called: ${scripted.children.length === 1}`))
    const run = driver.start('scripted', { ...go, label: 'short text' })
    driver.seen.push('start returned')
    void run.result.then(() => driver.seen.push('result'))
    scripted.children[0]!.settle()
    await run.result
    expect(run).toMatchObject({ runId: 'run-1', id: 'child-1' })
    expect(driver.seen.filter((entry) => !entry.startsWith('provider.start'))).toEqual([
      'subagent/start scripted run-1',
      'start returned',
      'subagent/end scripted run-1 completed',
      'result',
    ])
    expect(driver.seen).toContain('provider.start was called: true')
  })

  it('S9: an unknown name is refused, and the message lists the names that exist', () => {
    const driver = create()
    expect(refusal(() => driver.start('a', go))).toMatchObject({
      code: 'NO_PROVIDER',
      message: 'No provider is named "a". No provider is registered yet.',
    })
    driver.register(scriptedProvider([], { name: 'spawn' }))
    driver.register(scriptedProvider([], { name: 'fork 2' }))
    expect(refusal(() => driver.start('a', go))).toMatchObject({
      code: 'NO_PROVIDER',
      message: 'No provider is named "a". Registered: "spawn", "fork 2".',
    })
    for (const odd of [undefined, null, 7, 7n, Symbol('a'), {}, Object.create(null), ['spawn'], '__proto__', 'constructor'])
      expect(refusal(() => driver.start(odd as string, go)).code).toBe('NO_PROVIDER')
    expectNothingLeft(driver)
  })

  it('S10: the first capability that is asked for and missing refuses the start, by provider and flag', () => {
    const driver = create()
    const asked = { outputSchema: objectSchema, maxDepth: 5, toolFilter: { allow: [] }, persona: '' }
    const flags = ['outputSchema', 'depthLimit', 'toolFilter', 'persona'] as const
    for (const [missing, flag] of flags.entries()) {
      const capabilities = { ...all, ...Object.fromEntries(flags.slice(missing).map((name) => [name, false])) }
      const scripted = scriptedProvider([], { name: `without ${flag}`, capabilities })
      driver.register(scripted)
      const { code, message } = refusal(() => driver.start(scripted.name, { ...go, ...asked }))
      expect([
        code,
        message.includes(scripted.name),
        message.includes(flag),
        flags.filter((name) => message.includes(`capability ${name}`)),
      ]).toEqual(['UNSUPPORTED_CAPABILITY', true, true, [flag]])
      expect(scripted.children).toEqual([])
    }
    // A provider that does not speak of personas has none.
    const capabilities = { outputSchema: true, depthLimit: true, toolFilter: true }
    driver.register(scriptedProvider([], { name: 'silent', capabilities }))
    expect(refusal(() => driver.start('silent', { ...go, persona: '' })).message).toContain('capability persona')
    expectNothingLeft(driver)
  })

  it('S10: asked means anything but undefined, and what is not asked needs no capability', async () => {
    const driver = create({ providers: [scriptedProvider(() => 'done', { capabilities: none })] })
    const unasked = {
      outputSchema: undefined,
      maxDepth: undefined,
      toolFilter: undefined,
      persona: undefined,
    } as unknown as SubagentStartRequest
    expect(await driver.start('scripted', { ...go, ...unasked, parent, prompt: 'go' }).result).toMatchObject({ stopReason: 'completed' })
    for (const asked of [{ maxDepth: 0 }, { persona: '' }, { toolFilter: { deny: [] } }, { outputSchema: { type: 'object' } }])
      expect(refusal(() => driver.start('scripted', { ...go, ...asked })).code).toBe('UNSUPPORTED_CAPABILITY')
  })

  const text = { type: 'text', text: 'go' }
  const header = parent.session.header
  const malformed: readonly (readonly [field: string, change: Record<string, unknown>])[] = [
    ['prompt', { prompt: undefined }],
    ['prompt', { prompt: '' }],
    ['prompt', { prompt: [] }],
    ['prompt', { prompt: text }],
    ['prompt', { prompt: 7 }],
    ['prompt[0]', { prompt: ['go'] }],
    ['prompt[1]', { prompt: [text, null] }],
    ['prompt[0]', { prompt: [{ type: 'toString' }] }],
    ['prompt[0]', { prompt: [{ type: 'video', data: '' }] }],
    ['prompt[0].text', { prompt: [{ type: 'text' }] }],
    ['prompt[0].mimeType', { prompt: [{ type: 'image', data: 'AAAA' }] }],
    ['prompt[0].data', { prompt: [{ type: 'audio', mimeType: 'audio/wav' }] }],
    ['prompt[0].name', { prompt: [{ type: 'resource_link', uri: 'file:///a' }] }],
    ['prompt[0].resource', { prompt: [{ type: 'resource', resource: null }] }],
    ['prompt', { prompt: [{ ...text, size: 10n }] }],
    ['prompt', { prompt: [{ ...text, callback: () => {} }] }],
    ['prompt', { prompt: [{ ...text, when: new Date(0) }] }],
    ['prompt', { prompt: [{ ...text, score: Number.NaN }] }],
    ['parent', { parent: undefined }],
    ['parent', { parent: 'root' }],
    ['parent.id', { parent: { ...parent, id: '' } }],
    ['parent.options', { parent: { id: 'root', session: parent.session } }],
    ['parent.session', { parent: { id: 'root', options: {} } }],
    ['parent.session', { parent: { id: 'root', options: {}, session: {} } }],
    ['parent.session', { parent: { id: 'root', options: {}, session: { header: { ...header, id: 7 }, events: [] } } }],
    ['id', { id: '' }],
    ['id', { id: 7 }],
    ['label', { label: {} }],
    ['signal', { signal: {} }],
    ['signal', { signal: new AbortController() }],
    ['agentOptions', { agentOptions: 'fast' }],
    ['persona', { persona: 7 }],
    ...[Number.NaN, -0, 0.5, -1, Infinity, 2 ** 53, '1', null].map((maxDepth) => ['maxDepth', { maxDepth }] as const),
    ...[0, -1, 0.5, 2147483648, Number.NaN, Infinity, '5', null].map((timeoutMs) => ['timeoutMs', { timeoutMs }] as const),
    ...[-1, -0, 0.5, 2147483648, null].map((cancelGraceMs) => ['cancelGraceMs', { cancelGraceMs }] as const),
    ...[-1, -0, 0.5, 2147483648, null].map((releaseGraceMs) => ['releaseGraceMs', { releaseGraceMs }] as const),
    ['toolFilter', { toolFilter: null }],
    ['toolFilter', { toolFilter: {} }],
    ['toolFilter', { toolFilter: ['search'] }],
    ['toolFilter.allow', { toolFilter: { allow: 'search' } }],
    ['toolFilter.deny', { toolFilter: { allow: [], deny: [7] } }],
    ['outputSchema', { outputSchema: null }],
    ['outputSchema', { outputSchema: 'object' }],
    ['outputSchema', { outputSchema: true }],
    ['outputSchema', { outputSchema: [] }],
    ['outputSchema', { outputSchema: { type: 'array' } }],
    ['outputSchema', { outputSchema: { type: 'object', default: () => {} } }],
    ['outputSchema', { outputSchema: { type: 'object', default: 10n } }],
    ['outputSchema', { outputSchema: { type: 'object', default: new Map() } }],
    ['outputSchema', { outputSchema: { '~standard': null } }],
    ['outputSchema', { outputSchema: { '~standard': { version: 1, vendor: 'homemade', validate: () => ({}) } } }],
  ]

  it('S11: a request of the wrong shape is refused, and the message names the field', () => {
    const scripted = scriptedProvider([])
    const driver = create({ providers: [scripted] })
    for (const [field, change] of malformed) {
      const { code, message } = refusal(() => driver.start('scripted', { ...go, ...change }))
      const named = message.startsWith(`${field} `)
      expect(
        [code, named ? field : message],
        JSON.stringify(change, (_key, value: unknown) => (typeof value === 'bigint' ? 'a bigint' : value)),
      ).toEqual(['INVALID_REQUEST', field])
    }
    for (const odd of [undefined, null, 'go', 7])
      expect(refusal(() => driver.start('scripted', odd as never))).toMatchObject({ code: 'INVALID_REQUEST' })
    expect(scripted.children).toEqual([])
    expectNothingLeft(driver)
  })

  it('S11: the ends of the allowed ranges are taken', async () => {
    const driver = create({ providers: [scriptedProvider(() => 'done')] })
    const edges: Partial<SubagentStartRequest>[] = [
      { maxDepth: 1 },
      { maxDepth: Number.MAX_SAFE_INTEGER },
      { timeoutMs: 1 },
      { timeoutMs: 2147483647 },
      { cancelGraceMs: 0, releaseGraceMs: 0 },
      { cancelGraceMs: 2147483647, releaseGraceMs: 2147483647 },
      { toolFilter: { allow: [] } },
      { persona: '' },
      { label: '' },
      { agentOptions: {} },
      {
        prompt: [
          { type: 'resource', resource: { uri: 'file:///a', text: '' } },
          { type: 'image', data: '', mimeType: 'image/png' },
        ],
      },
    ]
    for (const edge of edges) expect((await driver.start('scripted', { ...go, ...edge }).result).stopReason).toBe('completed')
  })

  it('S8: checks come in the order closed, name, request, capability, depth, abort, slot', async () => {
    const scripted = scriptedProvider([{ hang: true }], { capabilities: { ...none, depthLimit: true } })
    const driver = create({ providers: [scripted], maxConcurrentRuns: 1, queue: 'reject' })
    const deep: ParentAgent = { ...parent, options: { subagentDepth: 3 } }
    const signal = AbortSignal.abort()
    const wrong = { parent: deep, prompt: '', maxDepth: 3, toolFilter: { allow: [] }, signal }
    driver.start('scripted', go)
    const steps: readonly (readonly [string, SubagentStartRequest, string | undefined])[] = [
      ['nobody', wrong, 'NO_PROVIDER'],
      ['scripted', wrong, 'INVALID_REQUEST'],
      ['scripted', { ...wrong, prompt: 'go' }, 'UNSUPPORTED_CAPABILITY'],
      ['scripted', { ...go, parent: deep, maxDepth: 3, signal }, 'DEPTH_EXCEEDED'],
      ['scripted', { ...go, maxDepth: 3, signal }, undefined],
      ['scripted', { ...go, maxDepth: 3 }, 'CONCURRENCY_LIMIT'],
    ]
    for (const [name, request, code] of steps) {
      if (code !== undefined) expect(refusal(() => driver.start(name, request)).code).toBe(code)
      else expect(await driver.start(name, request).result).toEqual({ output: [], stopReason: 'aborted' })
    }
    expect(scripted.children).toHaveLength(1)
    const closing = driver.close()
    expect(refusal(() => driver.start('nobody', wrong)).code).toBe('REGISTRY_CLOSED')
    await closing
  })

  it('S8: an id that a live run has is refused until that run is disposed', async () => {
    const scripted = scriptedProvider(() => 'done')
    const driver = create({ providers: [scripted] })
    const first = driver.start('scripted', { ...go, id: 'mine' })
    expect(first.runId).toBe('mine')
    expect(refusal(() => driver.start('scripted', { ...go, id: 'mine' }))).toMatchObject({ code: 'DUPLICATE_RUN' })
    await first.result
    // Settled is not disposed.
    expect(refusal(() => driver.start('scripted', { ...go, id: 'mine' })).message).toContain('"mine"')
    driver.dispose('mine')
    await until(() => liveRuns(driver.service).length === 0)
    expect((await driver.start('scripted', { ...go, id: 'mine' }).result).stopReason).toBe('completed')
    expect(scripted.children).toHaveLength(2)
  })

  it('S12: a signal aborted already starts no child; start and end come as a pair with the run id, for every provider', async () => {
    const providers = [scriptedProvider([], { name: 'plain' }), scriptedProvider([], { name: 'signals', signalsReady: true })]
    const driver = create({ providers })
    const events: unknown[] = []
    driver.service.on('*', (event) => events.push(event))
    const results = providers.map(({ name }) => driver.start(name, { ...go, signal: AbortSignal.abort(new Error('before')) }))
    expect(await Promise.all(results.map(({ result }) => result))).toEqual([
      { output: [], stopReason: 'aborted' },
      { output: [], stopReason: 'aborted' },
    ])
    expect(events).toEqual(
      ['plain', 'signals'].flatMap((provider, index) => {
        const of = { provider, id: `run-${index + 1}`, runId: `run-${index + 1}` }
        return [
          { type: 'subagent/start', ...of },
          { type: 'subagent/end', ...of, stopReason: 'aborted', lastAssistantMessage: [], durationMs: 0 },
        ]
      }),
    )
    expect(providers.flatMap(({ children }) => children)).toEqual([])
    for (const { runId } of results) driver.dispose(runId)
    await until(() => liveRuns(driver.service).length === 0)
  })

  it('S13: what provider.start throws reaches the caller untouched, no event fires and nothing is left behind', async () => {
    const thrown = [new Error('no room'), 'a string', Object.freeze({ code: 7 }), Object.create(null) as object]
    let stopped = 0
    const watched = fromPromise(() => new Promise(() => {}))
    const failing: SubagentProvider = {
      name: 'failing',
      capabilities: all,
      start: (_request, context) => {
        createActor(watched, { parent: context.self, id: 'half', src: 'half' } as never)
          .start()
          .subscribe({ complete: () => stopped++ })
        context.update({ type: 'text', text: 'never heard' })
        throw thrown.shift()
      },
    }
    const signal = new AbortController().signal
    let listeners = 0
    const added = signal.addEventListener.bind(signal)
    const removed = signal.removeEventListener.bind(signal)
    signal.addEventListener = (...args: Parameters<typeof added>) => (listeners++, added(...args))
    signal.removeEventListener = (...args: Parameters<typeof removed>) => (listeners--, removed(...args))
    const driver = create({ providers: [failing, scriptedProvider(() => 'done')], maxConcurrentRuns: 1, queue: 'reject' })
    const expected = [...thrown]
    for (const error of expected) {
      let caught: unknown
      try {
        driver.start('failing', { ...go, id: 'same', signal, timeoutMs: 1000 })
      } catch (reason) {
        caught = reason
      }
      expect(caught).toBe(error)
    }
    expectNothingLeft(driver)
    expect([stopped, listeners, driver.clock.pending]).toEqual([4, 0, 0])
    expect((await driver.start('scripted', { ...go, id: 'same' }).result).stopReason).toBe('completed')
  })

  it('S13: a run, or a provider, whose fields throw when they are read fails the start; what there is of a child is disposed', async () => {
    const error = new Error('not now')
    const whole = {
      id: 'child',
      result: new Promise<never>(() => {}),
      cancel: () => {},
      sendMessage: () => {},
      resume: () => {},
      signalsReady: false,
    }
    for (const field of Object.keys(whole)) {
      let disposed = 0
      const unreadable = (object: object): object =>
        Object.defineProperty(object, field, {
          get: () => {
            throw error
          },
        })
      const run = { ...whole, dispose: async () => void disposed++ }
      const provider = { ...scriptedProvider([]), start: () => (field === 'signalsReady' ? run : unreadable(run)) }
      if (field === 'signalsReady') unreadable(provider)
      const driver = create({ providers: [provider as unknown as SubagentProvider] })
      expect(() => driver.start('scripted', go), field).toThrow(error)
      expectNothingLeft(driver)
      // The provider is asked before it makes a child.
      expect([field, disposed]).toEqual([field, field === 'signalsReady' ? 0 : 1])
    }
  })

  it('S14: a start inside a child carries the run of its parent, by the id of the agent or of the run', async () => {
    const starts: unknown[] = []
    const driver = create({
      providers: [scriptedProvider([{ id: 'agent-1', hang: true }, { hang: true }, { hang: true }, { hang: true }])],
    })
    driver.service.on('subagent/start', (event) => starts.push(event))
    driver.start('scripted', { ...go, label: 'top' })
    driver.start('scripted', { ...go, parent: { ...parent, id: 'agent-1' } })
    driver.start('scripted', { ...go, parent: { ...parent, id: 'run-1' } })
    driver.start('scripted', { ...go, parent: { ...parent, id: 'run-2' } })
    const of = (id: string, more: object = {}): object => ({ type: 'subagent/start', provider: 'scripted', id, runId: id, ...more })
    expect(starts).toEqual([
      of('run-1', { id: 'agent-1', label: 'top' }),
      of('run-2', { parentRunId: 'run-1' }),
      of('run-3', { parentRunId: 'run-1' }),
      of('run-4', { parentRunId: 'run-2' }),
    ])
  })
})

describe('where a start may stand', () => {
  const logged = (provider: SubagentProvider): { service: ReturnType<typeof createSubagentService>; seen: string[] } => {
    let made = 0
    const service = createSubagentService({ providers: [provider], logger: collectLogger(), createId: () => `run-${++made}` })
    const seen: string[] = []
    service.on('*', (event) => void seen.push(line(event)))
    return { service, seen }
  }

  it('S8: inside a listener of subagent/start, subagent/end and subagent/update; dispatch is depth-first, and each run keeps its order', async () => {
    const scripted = scriptedProvider(() => ({ text: 'x' }))
    const { service, seen } = logged(scripted)
    const nested = new Set([
      'subagent/start scripted run-1',
      'subagent/update scripted run-1 text',
      'subagent/end scripted run-1 completed',
    ])
    service.on('*', (event) => {
      if (!nested.delete(line(event))) return
      seen.push(`starting in ${line(event)}`)
      const run = service.start('scripted', go)
      seen.push(`started ${run.runId}`)
    })
    const outer = service.start('scripted', go)
    seen.push('outer returned')
    await outer.result
    await until(() => seen.filter((entry) => entry.startsWith('subagent/end')).length === 4)
    const whole = (runId: string): string[] => seen.filter((entry) => entry.startsWith('subagent/') && entry.includes(` ${runId}`))
    for (const runId of ['run-1', 'run-2', 'run-3', 'run-4'])
      expect(whole(runId)).toEqual([
        `subagent/start scripted ${runId}`,
        `subagent/update scripted ${runId} text`,
        `subagent/end scripted ${runId} completed`,
      ])
    expect(seen.slice(0, 10)).toEqual([
      'subagent/start scripted run-1',
      'starting in subagent/start scripted run-1',
      'subagent/start scripted run-2',
      'subagent/update scripted run-2 text',
      'started run-2',
      'subagent/update scripted run-1 text',
      'starting in subagent/update scripted run-1 text',
      'subagent/start scripted run-3',
      'subagent/update scripted run-3 text',
      'started run-3',
    ])
  })

  it('S8: inside provider.start of another run, whose own start event then comes later', () => {
    const seenInside: string[] = []
    let service: ReturnType<typeof createSubagentService> | undefined
    const scripted = scriptedProvider((_request, { runId }) => {
      if (runId === 'run-1') seenInside.push(service!.start('scripted', go).runId)
      return { hang: true }
    })
    const made = logged(scripted)
    service = made.service
    const outer = service.start('scripted', go)
    // The inner child was made while the outer's was still being made.
    expect([outer.runId, seenInside, made.seen]).toEqual([
      'run-1',
      ['run-2'],
      ['subagent/start scripted run-2', 'subagent/start scripted run-1'],
    ])
  })

  it('S8: inside provider-added, with the provider that is just being added', async () => {
    const { service } = logged(scriptedProvider([], { name: 'other' }))
    const started: string[] = []
    service.on('subagent/provider-added', ({ name }) => void started.push(service.start(name, go).runId))
    service.registerProvider(scriptedProvider(['done'], { name: 'fresh' }))
    expect(started).toEqual(['run-1'])
  })

  it('S8: inside an action of a statechart', async () => {
    const { service, seen } = logged(scriptedProvider(() => 'done'))
    const machine = setup({ types: {} as { context: { runId: string }; events: { type: 'work' } } }).createMachine({
      context: { runId: '' },
      on: { work: { actions: [assign({ runId: () => service.start('scripted', go).runId }), () => void service.start('scripted', go)] } },
    })
    const actor = createActor(machine).start()
    actor.send({ type: 'work' })
    expect(actor.getSnapshot().context.runId).toBe('run-1')
    await service.close()
    expect(seen.filter((entry) => entry.includes('run-2'))[0]).toBe('subagent/start scripted run-2')
  })

  it('S8: inside the observer that inspects the registry, in the middle of another run’s transition', async () => {
    let made = 0
    const seen: string[] = []
    const nested: string[] = []
    const service = createSubagentService({
      providers: [scriptedProvider(() => 'done')],
      logger: collectLogger(),
      createId: () => `run-${++made}`,
      inspect: ({ type, actorRef }) => {
        if ((actorRef as AnyActorRef).id !== 'run-1') return
        if (type === '@xstate.microstep' || type === '@xstate.snapshot' || type === '@xstate.event')
          nested.push(service.start('scripted', go).runId)
      },
    })
    service.on('*', (event) => void seen.push(line(event)))
    await service.start('scripted', go).result
    await until(() => seen.filter((entry) => entry.startsWith('subagent/end')).length === nested.length + 1)
    expect(nested.length).toBeGreaterThan(5)
    for (const runId of ['run-1', ...nested]) {
      const own = seen.filter((entry) => entry.split(' ')[2] === runId)
      expect(own).toEqual([
        `subagent/start scripted ${runId}`,
        `subagent/update scripted ${runId} text`,
        `subagent/end scripted ${runId} completed`,
      ])
    }
  })

  it('S8: a refused start is a run actor that went from validating to disposed, and is gone', () => {
    const states: unknown[] = []
    const service = createSubagentService({
      providers: [scriptedProvider([])],
      createId: () => 'refused',
      inspect: (event) => {
        if (event.type === '@xstate.snapshot' && (event.actorRef as AnyActorRef).id === 'refused')
          states.push((event.snapshot as { value?: unknown }).value)
      },
    })
    expect(refusal(() => service.start('scripted', { parent, prompt: '' })).code).toBe('INVALID_REQUEST')
    expect(states).toEqual([{ validating: 'checking' }, 'disposed'])
    expect(liveRuns(service)).toEqual([])
  })
})

describe('odd requests', () => {
  it('S11, V3: a deeply frozen request is taken, and the provider can use all of it', async () => {
    const scripted = scriptedProvider(['done'])
    const service = createSubagentService({ providers: [scripted] })
    const request = Object.freeze({
      parent: Object.freeze(parent),
      prompt: Object.freeze([Object.freeze({ type: 'text', text: 'go' } as const)]),
      toolFilter: Object.freeze({ allow: Object.freeze(['search']) }),
    })
    expect((await service.delegate('scripted', request)).stopReason).toBe('completed')
    expect(scripted.children[0]!.request.toolFilter).toEqual({ allow: ['search'] })
  })

  it('S11, V3: what a request inherits counts like what it has itself, to the signal', async () => {
    class Request implements SubagentStartRequest {
      readonly prompt = 'go'
      readonly #controller = new AbortController()
      get parent(): ParentAgent {
        return parent
      }
      get signal(): AbortSignal {
        return this.#controller.signal
      }
      get persona(): string {
        return 'a pirate'
      }
      abort(): void {
        this.#controller.abort()
      }
    }
    const scripted = scriptedProvider(() => ({ hang: true }))
    const service = createSubagentService({ providers: [scripted] })
    const request = new Request()
    const runs = [
      service.start('scripted', request),
      service.start('scripted', Object.create({ ...go, persona: 'a pirate', signal: request.signal }) as SubagentStartRequest),
    ]
    for (const child of scripted.children)
      expect([child.request.parent, child.request.persona, child.context.resolved.persona]).toEqual([parent, 'a pirate', 'a pirate'])
    request.abort()
    expect((await Promise.all(runs.map(({ result }) => result))).map(({ stopReason }) => stopReason)).toEqual(['aborted', 'aborted'])
  })

  it('S11: each field is read once, so that a getter cannot pass the check as one thing and start as another', async () => {
    const reads: Record<string, number> = {}
    const values: Record<string, unknown> = {
      ...go,
      id: 'mine',
      timeoutMs: 1000,
      maxDepth: 3,
      persona: 'p',
      label: 'l',
      toolFilter: { allow: [] },
      agentOptions: {},
      outputSchema: objectSchema,
      signal: new AbortController().signal,
    }
    const request = {}
    for (const [field, value] of Object.entries(values))
      Object.defineProperty(request, field, { enumerable: true, get: () => ((reads[field] = (reads[field] ?? 0) + 1), value) })
    const service = createSubagentService({ providers: [scriptedProvider(['done'])] })
    await service.delegate('scripted', request as SubagentStartRequest)
    expect(reads).toEqual(Object.fromEntries(Object.keys(values).map((field) => [field, 1])))
  })

  it('S13: a getter of the request that throws is the caller’s own error, and leaves nothing behind', () => {
    const service = createSubagentService({ providers: [scriptedProvider([])] })
    const error = new Error('not now')
    for (const field of ['id', 'prompt', 'parent', 'signal', 'timeoutMs']) {
      const request = Object.defineProperty({ ...go }, field, {
        enumerable: true,
        get: () => {
          throw error
        },
      })
      expect(() => service.start('scripted', request)).toThrow(error)
    }
    expect(liveRuns(service)).toEqual([])
  })
})
