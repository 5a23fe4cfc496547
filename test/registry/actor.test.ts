import { assign, createActor, fromCallback, fromPromise, sendTo, setup, spawnChild, stopChild } from 'xstate'
import type { AnyActorRef, InspectionEvent } from 'xstate'
import { describe, expect, it, vi } from 'vitest'
import { createAgents } from '../../src/agents/index.ts'
import { createSubagentService, defineProvider, rootAgent, subagentRegistry, subagentService } from '../../src/index.ts'
import type { RegistryActorRef, RegistryEvent, RegistryInput, RegistryReply, SubagentProvider } from '../../src/index.ts'
import { spawnProvider } from '../../src/providers/index.ts'
import { scriptedModel } from '../../src/testing/scripted-model.ts'
import { scriptedProvider } from '../../src/testing/scripted-provider.ts'
import { collectLogger, line } from './drivers.ts'
import { liveRuns, until } from './live-runs.ts'
import { processFaults } from './process-faults.ts'

const parent = rootAgent()
const go = { parent, prompt: 'go' }

interface Plug {
  readonly registry: RegistryActorRef
  readonly message: RegistryEvent
}

function openRegistry(input: RegistryInput = {}) {
  const logger = collectLogger()
  const answers: RegistryReply[] = []
  let made = 0
  const ref = createActor(subagentRegistry, { input: { logger, createId: () => `run-${++made}`, ...input } }).start()
  const asker = createActor(fromCallback(({ receive }) => receive((event) => answers.push(event as RegistryReply)))).start()
  return { ref, answers, asker, logger, service: subagentService(ref) }
}

describe('asking a registry by event', () => {
  it('S23: is answered with run.started and run.settled, each with the requestId', async () => {
    const { ref, answers, asker } = openRegistry({ providers: [scriptedProvider([{ id: 'agent', text: 'done' }, { text: 'again' }])] })
    ref.send({ type: 'run.start', requestId: 'q', provider: 'scripted', request: go, replyTo: asker })
    expect(answers).toEqual([{ type: 'run.started', requestId: 'q', runId: 'run-1', id: 'agent', provider: 'scripted' }])
    await until(() => answers.length === 2)
    expect(answers[1]).toEqual({
      type: 'run.settled',
      requestId: 'q',
      runId: 'run-1',
      result: { output: [{ type: 'text', text: 'done' }], stopReason: 'completed' },
    })
    // Without an id of its own a request is answered without one.
    ref.send({ type: 'run.start', provider: 'scripted', request: go, replyTo: asker })
    await until(() => answers.length === 4)
    expect(answers.slice(2).map((answer) => [answer.type, 'requestId' in answer])).toEqual([
      ['run.started', false],
      ['run.settled', false],
    ])
  })

  it('S23: a refused start and a broken promise are answered with run.rejected and the error as it is', async () => {
    const broken = new Error('the wire broke')
    const { ref, answers, asker, logger } = openRegistry({ providers: [scriptedProvider([{ reject: broken }])] })
    ref.send({ type: 'run.start', requestId: 'refused', provider: 'nobody', request: go, replyTo: asker })
    ref.send({ type: 'run.start', requestId: 'broken', provider: 'scripted', request: { ...go, id: 'run' }, replyTo: asker })
    await until(() => answers.length === 3)
    expect(answers).toEqual([
      { type: 'run.rejected', requestId: 'refused', error: expect.objectContaining({ code: 'NO_PROVIDER' }) as unknown },
      { type: 'run.started', requestId: 'broken', runId: 'run', id: 'run', provider: 'scripted' },
      { type: 'run.rejected', requestId: 'broken', runId: 'run', error: broken },
    ])
    expect(logger.warnings).toEqual([])
    // Nobody to tell: then it is logged.
    ref.send({ type: 'run.start', provider: 'nobody', request: go })
    expect(logger.warnings).toEqual([expect.stringContaining('No provider is named "nobody"')])
  })

  it('S23: requests with the same requestId are answered each on its own', async () => {
    const { ref, answers, asker } = openRegistry({ providers: [scriptedProvider(['one', 'two'])] })
    for (let ask = 0; ask < 2; ask++) ref.send({ type: 'run.start', requestId: 'same', provider: 'scripted', request: go, replyTo: asker })
    await until(() => answers.length === 4)
    expect(answers.map((answer) => `${answer.type} ${answer.requestId} ${answer.runId}`)).toEqual([
      'run.started same run-1',
      'run.started same run-2',
      'run.settled same run-1',
      'run.settled same run-2',
    ])
  })

  it('S23: an asker that has gone, and one that is no actor, trouble neither run nor process', async () => {
    const { ref, asker, service } = openRegistry({ providers: [scriptedProvider(() => 'done')] })
    const seen: string[] = []
    service.on('subagent/end', (event) => void seen.push(line(event)))
    const throwing = {
      getSnapshot: () => {
        if (seen.length > 0) throw new Error('gone')
        return { status: 'active' }
      },
      send: () => {},
    }
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const faults = await processFaults(async () => {
      for (const replyTo of [asker, {}, throwing, null])
        ref.send({ type: 'run.start', provider: 'scripted', request: go, replyTo: replyTo as AnyActorRef })
      asker.stop()
      await until(() => seen.length === 4)
    })
    expect([faults, warn.mock.calls]).toEqual([[], []])
    warn.mockRestore()
  })

  it('S23: run.cancel and run.dispose of a run that is not there are warned of', async () => {
    const { ref, logger } = openRegistry()
    ref.send({ type: 'run.cancel', runId: 'nobody' })
    ref.send({ type: 'run.dispose', runId: 'nobody' })
    expect(logger.warnings).toEqual(['run.cancel: no live run has the id "nobody".', 'run.dispose: no live run has the id "nobody".'])
  })

  it('S23: events that are malformed, or none of the registry’s, change nothing', async () => {
    const { ref, logger, service } = openRegistry({ providers: [scriptedProvider([])] })
    for (const event of [
      { type: 'provider.register' },
      { type: 'run.start' },
      { type: 'provider.unregister' },
      { type: 'run.cancel' },
      { type: 'toString' },
      { type: 'nonsense' },
      { type: 'quiet' },
    ])
      expect(() => ref.send(event as unknown as RegistryEvent)).not.toThrow()
    expect([service.list(), ref.getSnapshot().value, ref.getSnapshot().status]).toEqual([['scripted'], 'open', 'active'])
    expect(logger.warnings).toHaveLength(3)
  })

  it('S23: a run waiting for a slot has started for the asker: it can be cancelled by its run id', async () => {
    const { ref, answers, asker } = openRegistry({ providers: [scriptedProvider(() => ({ hang: true }))], maxConcurrentRuns: 1 })
    for (const requestId of ['a', 'b']) ref.send({ type: 'run.start', requestId, provider: 'scripted', request: go, replyTo: asker })
    ref.send({ type: 'run.cancel', runId: 'run-2', reason: 'enough' })
    await until(() => answers.length === 3)
    expect(answers[2]).toEqual({ type: 'run.settled', requestId: 'b', runId: 'run-2', result: { output: [], stopReason: 'aborted' } })
  })
})

describe('a registry in a system of somebody else', () => {
  it('S23: is invoked with a systemId, and its end is the invocation’s', async () => {
    const scripted = scriptedProvider(['done'])
    const machine = setup({
      types: {} as { context: { answer: string }; events: { type: 'work' } | { type: 'leave' } | RegistryReply },
      actors: { registry: subagentRegistry },
    }).createMachine({
      context: { answer: '' },
      initial: 'working',
      states: {
        working: {
          invoke: { src: 'registry', systemId: 'subagents', input: { providers: [scripted], logger: collectLogger() }, onDone: 'left' },
          on: {
            work: {
              actions: sendTo(
                ({ system }) => system.get('subagents'),
                ({ self }) => ({ type: 'run.start', provider: 'scripted', request: go, replyTo: self }),
              ),
            },
            'run.settled': {
              actions: [
                assign({ answer: ({ event }) => event.result.stopReason }),
                sendTo(({ system }) => system.get('subagents'), { type: 'close' }),
              ],
            },
          },
        },
        left: { type: 'final' },
      },
    })
    const actor = createActor(machine).start()
    actor.send({ type: 'work' })
    await until(() => actor.getSnapshot().status === 'done')
    expect([actor.getSnapshot().context.answer, scripted.children[0]!.disposals]).toEqual(['completed', 1])
  })

  it('S23: is spawned, and ends with the actor that spawned it', async () => {
    const scripted = scriptedProvider(() => ({ hang: true }))
    const machine = setup({ actors: { registry: subagentRegistry } }).createMachine({
      entry: spawnChild('registry', { id: 'mine', systemId: 'subagents', input: { providers: [scripted], logger: collectLogger() } }),
      on: { drop: { actions: stopChild('mine') } },
    })
    const actor = createActor(machine).start()
    const service = subagentService(actor.system.get('subagents') as RegistryActorRef)
    const run = service.start('scripted', go)
    actor.send({ type: 'drop' })
    expect((await run.result).stopReason).toBe('aborted')
    expect(() => service.start('scripted', go)).toThrow(expect.objectContaining({ code: 'REGISTRY_CLOSED' }))
  })

  it('S23: input that is none is an error of the actor, which its parent hears', () => {
    const errors: unknown[] = []
    const machine = setup({ actors: { registry: subagentRegistry } }).createMachine({
      initial: 'working',
      states: {
        working: {
          invoke: {
            src: 'registry',
            input: { queue: 'drop' } as never,
            onError: { target: 'failed', actions: ({ event }) => errors.push(event.error) },
          },
        },
        failed: {},
      },
    })
    const actor = createActor(machine).start()
    expect([actor.getSnapshot().value, errors]).toEqual([
      'failed',
      [expect.objectContaining({ code: 'INVALID_REQUEST', message: expect.stringContaining('queue') as unknown })],
    ])
  })

  it('S23: an actor that is no registry has no service', () => {
    expect(() => subagentService(createActor(fromPromise(async () => {})) as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST' }),
    )
  })
})

describe('a provider that an actor registers', () => {
  const provider = (name: string): SubagentProvider => scriptedProvider(() => ({ hang: true }), { name })

  /** Sends one event to the registry, and lives until it is told to finish. */
  const registering = setup({ types: {} as { context: Plug; input: Plug } }).createMachine({
    context: ({ input }) => input,
    entry: sendTo(
      ({ context }) => context.registry,
      ({ context }) => context.message,
    ),
    initial: 'on',
    states: { on: { on: { finish: 'off' } }, off: { type: 'final' } },
  })

  function system() {
    const seen: string[] = []
    const machine = setup({
      types: {} as { events: { type: 'plug'; id: string; plug: Plug } | { type: 'unplug' | 'finish'; id: string } },
      actors: { registry: subagentRegistry, registering },
    }).createMachine({
      invoke: { src: 'registry', systemId: 'subagents', input: { logger: collectLogger() } },
      on: {
        plug: { actions: spawnChild('registering', { id: ({ event }) => event.id, input: ({ event }) => (event as { plug: Plug }).plug }) },
        unplug: { actions: stopChild(({ event }) => event.id) },
        finish: { actions: sendTo(({ event, self }) => self.getSnapshot().children[event.id]!, { type: 'finish' }) },
      },
    })
    const actor = createActor(machine).start()
    const service = subagentService(actor.system.get('subagents') as RegistryActorRef)
    service.on('*', (event) => void seen.push(line(event)))
    const plug = (id: string, message: RegistryEvent): void => actor.send({ type: 'plug', id, plug: { registry: service.ref, message } })
    return { actor, service, seen, plug }
  }

  it('S4: goes when that actor stops, or is done', () => {
    const { actor, service, seen, plug } = system()
    for (const id of ['a', 'b']) plug(id, { type: 'provider.register', provider: provider(id) })
    expect(service.list()).toEqual(['a', 'b'])
    actor.send({ type: 'unplug', id: 'a' })
    expect(service.list()).toEqual(['b'])
    actor.send({ type: 'finish', id: 'b' })
    expect(service.list()).toEqual([])
    expect(seen).toEqual([
      'subagent/provider-added a',
      'subagent/provider-added b',
      'subagent/provider-removed a',
      'subagent/provider-removed b',
    ])
  })

  it('S4: does not take a later registration of that name with it', () => {
    const { actor, service, plug } = system()
    plug('a', { type: 'provider.register', provider: provider('a') })
    service.ref.send({ type: 'provider.unregister', name: 'a' })
    const later = provider('a')
    service.registerProvider(later)
    actor.send({ type: 'unplug', id: 'a' })
    expect(service.getProvider('a')).toBe(later)
  })

  it('S4: stays where nobody is known to have sent it, also when an actor sent the very same event before', () => {
    const { actor, service, plug } = system()
    const message: RegistryEvent = { type: 'provider.register', provider: provider('a') }
    plug('a', message)
    actor.send({ type: 'unplug', id: 'a' })
    service.ref.send(message)
    expect(service.list()).toEqual(['a'])
  })

  it('S4: goes with the actor also where the registry is the root and the actor lives below one of its runs', async () => {
    const registry: { ref?: RegistryActorRef } = {}
    const extender = defineProvider({
      name: 'extender',
      run: (_request, { self }) => {
        const message: RegistryEvent = { type: 'provider.register', provider: provider('mine') }
        createActor(registering, {
          parent: self,
          id: 'extension',
          src: 'extension',
          input: { registry: registry.ref!, message },
        } as never).start()
        return 'extended'
      },
    })
    const service = createSubagentService({ providers: [extender], logger: collectLogger() })
    registry.ref = service.ref
    const run = service.start('extender', go)
    await run.result
    expect(service.list()).toEqual(['extender', 'mine'])
    await run.dispose()
    expect(service.list()).toEqual(['extender'])
  })
})

describe('the tree of actors', () => {
  const idOf = (ref: unknown): string => (ref as AnyActorRef).id

  it('S25: inspection shows registry, run and child agent, each the parent of the next', async () => {
    const parents = new Map<string, string>()
    const agents = createAgents({ model: scriptedModel(['done']) })
    const service = createSubagentService({
      providers: [spawnProvider({ agents })],
      createId: () => 'run-1',
      inspect: ({ type, actorRef }: InspectionEvent) => {
        const ref = actorRef as AnyActorRef
        if (type === '@xstate.snapshot' && ref._parent) parents.set(ref.id, idOf(ref._parent))
      },
    })
    const run = service.start('spawn', go)
    await run.result
    expect(parents.get('run-1')).toBe(idOf(service.ref))
    expect(parents.get(run.id)).toBe('run-1')
    expect(parents.size).toBe(2)
    await service.close()
  })

  it('S25: an actor made with the run as its parent is stopped when the run is disposed, however the run came to its end', async () => {
    const stopped: string[] = []
    const made: AnyActorRef[] = []
    const provider: SubagentProvider = {
      ...scriptedProvider([]),
      start: (request, context) => {
        for (const part of ['first', 'second']) {
          const actor = createActor(
            fromPromise(() => new Promise(() => {})),
            { parent: context.self, id: `${part} of ${context.runId}`, src: 'part' } as never,
          ).start()
          actor.subscribe({ complete: () => stopped.push(actor.id) })
          made.push(actor)
        }
        return inner.start(request, context)
      },
    }
    const inner = scriptedProvider(() => ({ hang: true }))
    const service = createSubagentService({ providers: [provider], logger: collectLogger() })
    const run = service.start('scripted', { ...go, id: 'disposed' })
    inner.children[0]!.settle()
    await run.result
    expect(stopped).toEqual([])
    await run.dispose()
    expect(stopped).toEqual(['first of disposed', 'second of disposed'])
    const other = service.start('scripted', { ...go, id: 'closed' })
    await service.close()
    expect(stopped.slice(2)).toEqual(['first of closed', 'second of closed'])
    expect([(await other.result).stopReason, new Set(made.map((actor) => actor.getSnapshot().status as string))]).toEqual([
      'aborted',
      new Set(['stopped']),
    ])
  })

  it('S25: so it is when the registry is stopped', () => {
    const service = createSubagentService({ providers: [scriptedProvider(() => ({ hang: true }))], logger: collectLogger() })
    const run = service.start('scripted', go)
    const withChild: AnyActorRef[] = []
    service.registerProvider({
      ...scriptedProvider([], { name: 'with child' }),
      start: (_request, context) => {
        withChild.push(
          createActor(
            fromPromise(() => new Promise(() => {})),
            { parent: context.self, id: 'child', src: 'child' } as never,
          ).start(),
        )
        return { result: new Promise(() => {}), cancel: () => {}, dispose: async () => {} }
      },
    })
    service.start('with child', go)
    ;(service.ref as unknown as { stop(): void }).stop()
    expect([run.ref.getSnapshot().status, withChild[0]!.getSnapshot().status]).toEqual(['stopped', 'stopped'])
  })

  it('S25, R1: a child actor that fails does not take its run with it', async () => {
    const service = createSubagentService({
      logger: collectLogger(),
      providers: [
        defineProvider({
          name: 'failing child',
          run: async (_request, { self }) => {
            const actor = createActor(
              fromPromise(() => Promise.reject(new Error('the child broke'))),
              { parent: self, id: 'child', src: 'child' } as never,
            ).start()
            await new Promise<void>((resolve) => actor.subscribe({ error: () => resolve() }))
            return 'still here'
          },
        }),
      ],
    })
    expect((await service.delegate('failing child', go)).output).toEqual([{ type: 'text', text: 'still here' }])
    expect(liveRuns(service)).toEqual([])
  })
})
