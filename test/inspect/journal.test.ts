import { createActor, createMachine } from 'xstate'
import { describe, expect, it } from 'vitest'
import { createAgents } from '../../src/agents/index.ts'
import { createSubagentService, SubagentError, subagentRegistry, subagentService } from '../../src/index.ts'
import type { RegistryActorRef } from '../../src/index.ts'
import { createJournal } from '../../src/inspect/index.ts'
import type { JournalEntry } from '../../src/inspect/index.ts'
import { spawnProvider } from '../../src/providers/index.ts'
import { createSimulatedClock, scriptedModel, scriptedProvider } from '../../src/testing/index.ts'
import { until } from '../providers/collect.ts'
import { entriesOf, fold, inWords, request, watched } from './watched.ts'

describe('a journal', () => {
  it('I2, I4: tells of registry, run and child agent in the order in which things happen, each chart once, before its first actor', async () => {
    const agents = createAgents({ model: scriptedModel(() => 'There are three.') })
    const { service, journal } = watched({ providers: [spawnProvider({ agents })] })
    await service.delegate('spawn', { ...request, id: 'count', label: 'counting' })
    await service.delegate('spawn', { ...request, id: 'again' })
    await service.close()
    const entries = await entriesOf(journal)
    const agent = entries.find((entry) => entry.type === 'actor' && entry.kind === 'agent') as Extract<JournalEntry, { type: 'actor' }>
    expect(entries.map(inWords).slice(0, 32)).toEqual([
      'journal',
      'chart registry',
      'actor registry registry open',
      'provider +spawn',
      'chart run',
      'actor run count validating:checking',
      'event accept',
      'chart agent',
      `actor agent ${agent.name} idle`,
      'event ready',
      'start',
      'snapshot active starting',
      'snapshot active running:active',
      'event begin',
      'snapshot active running',
      'update text',
      'update usage',
      'event rest',
      'snapshot active idle',
      'event settle',
      'end completed',
      'snapshot active settling:held',
      'event dispose',
      'event dispose',
      `event xstate.done.actor.${agent.name}`,
      'snapshot done disposed',
      'snapshot active settling:releasing',
      'snapshot active settling:releasing',
      'event released',
      'event xstate.done.actor.count',
      'snapshot active open',
      'snapshot done disposed',
    ])
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index))
    expect(entries.filter(({ type }) => type === 'chart').map((entry) => 'chart' in entry && entry.chart)).toEqual([
      'registry',
      'run',
      'agent',
    ])
    expect(JSON.parse(JSON.stringify(entries))).toEqual(entries)
  })

  it('I2: says which actor is whose, which run an agent works for, and who sent an event', async () => {
    const agents = createAgents({ model: scriptedModel(() => 'Three.') })
    const { service, journal } = watched({ providers: [spawnProvider({ agents })] })
    await service.delegate('spawn', { ...request, id: 'count' })
    await service.close()
    const entries = await entriesOf(journal)
    const { actors, runs } = fold(entries)
    const [registry, run, agent] = actors
    expect([registry!.parent, run!.parent, agent!.parent, agent!.run, run!.run]).toEqual([
      undefined,
      registry!.actor,
      run!.actor,
      run!.actor,
      run!.actor,
    ])
    expect([...runs].map(({ runId, provider, agent: id, stopReason }) => [runId, provider, id, stopReason])).toEqual([
      ['count', 'spawn', agent!.name, 'completed'],
    ])
    const done = entries.find((entry) => entry.type === 'event' && entry.event === 'xstate.done.actor.count')
    expect(done).toMatchObject({ actor: registry!.actor, source: run!.actor })
  })

  it('I2: a child run is told with the run above it, a refused start with its code, a failure with its code alone', async () => {
    const provider = scriptedProvider([
      { id: 'parent-agent', hang: true },
      { stopReason: 'error', failure: { code: 'MODEL_ERROR', phase: 'running', retryable: true, message: 'the key is sk-12345678' } },
    ])
    const { service, journal } = watched({ providers: [provider] })
    const parent = service.start('scripted', { ...request, id: 'parent' })
    await service.delegate('scripted', { ...request, parent: { ...request.parent, id: 'parent-agent' }, id: 'child' })
    expect(() => service.start('nobody', { ...request, id: 'refused' })).toThrow(SubagentError)
    parent.cancel('a secret reason')
    await service.close()
    const entries = await entriesOf(journal)
    const runs = new Map([...fold(entries).runs].map((run) => [run.runId, run]))
    expect(runs.get('child')).toMatchObject({
      parentRun: runs.get('parent')!.actor,
      stopReason: 'error',
      failure: { code: 'MODEL_ERROR', phase: 'running', retryable: true },
    })
    expect(runs.get('child')!.failure).not.toHaveProperty('message')
    expect(runs.get('parent')).toMatchObject({ childRuns: [runs.get('child')!.actor], stopReason: 'aborted' })
    expect(runs.get('refused')).toMatchObject({ refused: 'NO_PROVIDER' })
    expect(JSON.stringify(entries)).not.toMatch(/sk-12345678|a secret reason/)
  })

  it('I2: a run id that comes again is another run, and a start that is refused for its id leaves the live one alone', async () => {
    const provider = scriptedProvider(() => ({ hang: true }))
    const { service, journal } = watched({ providers: [provider] })
    const first = service.start('scripted', { ...request, id: 'same' })
    expect(() => service.start('scripted', { ...request, id: 'same' })).toThrow('live run')
    provider.children[0]!.update({ type: 'text', text: 'still here' })
    provider.children[0]!.settle()
    await first.result
    await first.dispose()
    const second = service.start('scripted', { ...request, id: 'same' })
    provider.children[1]!.settle({ stopReason: 'refusal' })
    await second.result
    await second.dispose()
    await service.close()
    const { runs } = fold(await entriesOf(journal))
    expect([...runs].map(({ runId, stopReason, refused, updates }) => [runId, stopReason, refused, updates])).toEqual([
      ['same', 'completed', undefined, { text: 1 }],
      ['same', undefined, 'DUPLICATE_RUN', {}],
      ['same', 'refusal', undefined, {}],
    ])
  })

  it('I2: made when runs are live already, it tells of them with their states, and of their ends', async () => {
    const provider = scriptedProvider(() => ({ hang: true }))
    const service = createSubagentService({ providers: [provider] })
    const run = service.start('scripted', { ...request, id: 'early', label: 'before' })
    await until(() => JSON.stringify(run.ref.getSnapshot().value) === '{"running":"active"}')
    const journal = createJournal(service, { env: {} })
    provider.children[0]!.update({ type: 'text', text: 'x' })
    provider.children[0]!.settle()
    await run.result
    await run.dispose()
    await service.close()
    const state = fold(await entriesOf(journal))
    expect([...state.runs]).toMatchObject([{ runId: 'early', label: 'before', stopReason: 'completed', updates: { text: 1 } }])
    expect([...state.actors].map(({ kind, status, value }) => [kind, status, value])).toEqual([
      ['registry', 'done', 'closed'],
      ['run', 'done', 'disposed'],
    ])
    expect(state.actors.get([...state.runs][0]!.actor)!.path.map(({ value }) => value)).toEqual([
      { running: 'active' },
      { settling: 'held' },
      { settling: 'releasing' },
      'disposed',
    ])
  })

  it('I2: in a system with other actors, tells of the registry and what is below it, and of nothing else', async () => {
    const machine = createMachine({
      id: 'mine',
      context: { secret: 'mine alone' },
      invoke: { src: subagentRegistry as never, id: 'registry' },
    })
    const actor = createActor(machine).start()
    const registry = (actor.getSnapshot().children as Record<string, RegistryActorRef>)['registry']!
    const service = subagentService(registry)
    const journal = createJournal(service, { env: {} })
    service.registerProvider(scriptedProvider(['one']))
    actor.send({ type: 'tell nobody' })
    await service.delegate('scripted', request)
    const entries = await entriesOf(journal)
    expect(JSON.stringify(entries)).not.toMatch(/mine|tell nobody/)
    expect([...fold(entries).actors].map(({ kind, parent }) => [kind, parent])).toEqual([
      ['registry', undefined],
      ['run', registry.sessionId],
    ])
    actor.stop()
  })

  it('I2: its own fault is a warning and changes no run', async () => {
    let broken = false
    const now = () => {
      if (broken) throw new Error('the clock is broken')
      return 0
    }
    const { service, journal, warnings } = watched(
      { providers: [scriptedProvider(['one'])] },
      { clock: { ...createSimulatedClock(), now } },
    )
    broken = true
    const { stopReason } = await service.delegate('scripted', request)
    await service.close()
    expect(stopReason).toBe('completed')
    expect(new Set(warnings)).toEqual(new Set(['The journal threw: Error: the clock is broken']))
    journal.close()
  })

  it.each([
    ['service', undefined, {}],
    ['limit', 'a service', { limit: 0 }],
  ])('I2: %s of the wrong shape is refused by name', (field, given, options) => {
    const service = given && createSubagentService()
    expect(() => createJournal(service as never, options)).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', message: expect.stringMatching(new RegExp(`^${field} must`)) as unknown }),
    )
  })
})

describe('those who read a journal', () => {
  it('I2: one who comes late gets what is live with chart and state, and what led there as far as it is kept', async () => {
    const provider = scriptedProvider((_, __, index) => (index === 0 ? { id: 'kept', hang: true, usage: { totalTokens: 7 } } : 'done'))
    const { service, journal } = watched({ providers: [provider] }, { limit: 20 })
    const early = service.start('scripted', { ...request, id: 'early' })
    provider.children[0]!.update({ type: 'usage', usage: { totalTokens: 7 } })
    for (let n = 0; n < 20; n++) await service.delegate('scripted', { ...request, id: `run-${n}` })
    const late = await entriesOf(journal)
    expect(late.length).toBeLessThan(60)
    const state = fold(late)
    expect(Object.keys(state.charts)).toEqual(['registry', 'run'])
    expect(Object.keys(state.providers)).toEqual(['scripted'])
    const run = [...state.runs].find(({ runId }) => runId === 'early')!
    expect(run).toMatchObject({ agent: 'kept', usage: { totalTokens: 7 } })
    expect(state.actors.get(run.actor)).toMatchObject({ status: 'active', value: { running: 'active' } })
    // The rest of what is there is the recent past, of runs that are known from their beginnings.
    expect([...state.runs].at(-1)).toMatchObject({ runId: 'run-19', stopReason: 'completed' })
    expect(state.dropped).toBe(0)
    early.cancel()
    await service.close()
  })

  it('I2: each has a place of its own; one that does not ask is told how many it missed, then all that is live, and goes on', async () => {
    const provider = scriptedProvider((_, __, index) => (index === 0 ? { hang: true } : 'done'))
    const { service, journal } = watched({ providers: [provider] }, { limit: 20 })
    const live = service.start('scripted', { ...request, id: 'live' })
    let told = 0
    const slow = journal.read({ onDropped: (count) => (told += count) })[Symbol.asyncIterator]()
    const seen: JournalEntry[] = [...((await slow.next()).value as JournalEntry[])]
    const before = seen.length
    for (let n = 0; n < 30; n++) await service.delegate('scripted', { ...request, id: `run-${n}` })
    live.cancel()
    await service.close()
    const others = await entriesOf(journal)
    for (let next = await slow.next(); !next.done; next = await slow.next()) seen.push(...next.value)
    const state = fold(seen)
    expect(inWords(seen[before]!)).toBe(`dropped ${told}`)
    expect(told).toBeGreaterThan(100)
    expect(state.dropped).toBe(told)
    // Seen and missed are all there were.
    expect(seen.at(-1)!.seq).toBe(others.at(-1)!.seq)
    expect([...state.runs].find(({ runId }) => runId === 'live')).toMatchObject({ stopReason: 'aborted' })
    expect([...state.actors].filter(({ status }) => status === 'active' || status === 'lost')).toEqual([])
  })

  it('I2: memory is bounded by what is live and by the limit, whether anybody reads or not', async () => {
    const { service, journal } = watched({ providers: [scriptedProvider(() => 'done')] }, { limit: 50 })
    const idle = journal.read()[Symbol.asyncIterator]()
    await idle.next()
    for (let n = 0; n < 200; n++) await service.delegate('scripted', request)
    expect((await entriesOf(journal)).length).toBeLessThanOrEqual(2 * 50 + 5)
    await service.close()
  })

  it('I2: reading ends with the journal, and by its signal after what is there; batches are as large as asked for', async () => {
    const { service, journal } = watched({ providers: [scriptedProvider(() => 'done')] })
    const stop = new AbortController()
    const sizes: number[] = []
    const reading = (async () => {
      for await (const batch of journal.read({ most: 4, signal: stop.signal })) sizes.push(batch.length)
    })()
    await service.delegate('scripted', request)
    stop.abort()
    await reading
    const total = sizes.reduce((sum, size) => sum + size, 0)
    await service.delegate('scripted', request)
    await service.close()
    expect(Math.max(...sizes)).toBe(4)
    expect((await entriesOf(journal)).length).toBeGreaterThan(total)
  })

  it('I2: entries are gathered for as long as asked for, and no longer than the journal is open', async () => {
    const clock = createSimulatedClock()
    const { service, journal } = watched({ providers: [scriptedProvider(() => 'done')] }, { clock })
    const batches: number[] = []
    const reading = (async () => {
      for await (const batch of journal.read({ gatherMs: 100 })) batches.push(batch.length)
    })()
    await until(() => batches.length === 1)
    await service.delegate('scripted', request)
    await service.delegate('scripted', request)
    expect(batches.length).toBe(1)
    clock.advance(100)
    await until(() => batches.length === 2)
    service.registerProvider(scriptedProvider(['x'], { name: 'other' }))
    await new Promise<void>((resolve) => setImmediate(resolve))
    journal.close()
    await reading
    expect(batches.length).toBe(3)
    await service.close()
  })
})
