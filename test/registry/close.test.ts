import { describe, expect, it } from 'vitest'
import { createSubagentService, rootAgent, subagentRegistry } from '../../src/index.ts'
import type { ProviderRun, SubagentProvider, SubagentRun, SubagentStartRequest } from '../../src/index.ts'
import { registryConfig } from '../../src/machines/index.ts'
import { scriptedProvider } from '../../src/testing/scripted-provider.ts'
import type { ScriptedRun } from '../../src/testing/scripted-provider.ts'
import { createSimulatedClock } from '../../src/testing/simulated-clock.ts'
import { collectLogger, entrances, line, stopActor } from './drivers.ts'
import { liveRuns, until } from './live-runs.ts'
import { processFaults } from './process-faults.ts'

const parent = rootAgent()
const go: SubagentStartRequest = { parent, prompt: 'go' }
const under = (runId: string): SubagentStartRequest => ({ ...go, parent: { ...parent, id: runId } })
const hang = (): ScriptedRun => ({ hang: true })
const capabilities = { outputSchema: false, depthLimit: false, toolFilter: false }

async function turns(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
}

describe.each(entrances)('closing, through %s', (_, create) => {
  it('S6: cancels every live run in one tick, releases what there is, and resolves when all is quiet', async () => {
    const scripted = scriptedProvider(hang)
    const driver = create({ providers: [scripted], maxConcurrentRuns: 3 })
    const settled = driver.start('scripted', go)
    scripted.children[0]!.settle()
    await settled.result
    driver.start('scripted', go)
    driver.start('scripted', under('run-2'))
    driver.start('scripted', go)
    driver.start('scripted', go)
    const waiting = driver.start('scripted', go)
    driver.seen.length = 0

    const closed = driver.close()
    expect(driver.service.ref.getSnapshot().value).toBe('draining')
    expect(scripted.children.map(({ cancels }) => cancels)).toEqual([
      [],
      ['the service is closing'],
      ['the service is closing'],
      ['the service is closing'],
      ['the service is closing'],
    ])
    expect(() => driver.start('scripted', go)).toThrow(expect.objectContaining({ code: 'REGISTRY_CLOSED' }))
    expect(() => driver.service.registerProvider(scriptedProvider([], { name: 'late' }))).toThrow(
      expect.objectContaining({ code: 'REGISTRY_CLOSED' }),
    )
    await closed
    expect(driver.service.ref.getSnapshot()).toMatchObject({ value: 'closed', status: 'done' })
    expect(liveRuns(driver.service)).toEqual([])
    expect(scripted.children.map(({ disposals }) => disposals)).toEqual([1, 1, 1, 1, 1])
    expect(driver.seen.toSorted()).toEqual([
      'subagent/end scripted run-2 aborted',
      'subagent/end scripted run-3 aborted',
      'subagent/end scripted run-4 aborted',
      'subagent/end scripted run-5 aborted',
      'subagent/end scripted run-6 aborted',
      'subagent/start scripted run-6',
    ])
    expect((await waiting.result).stopReason).toBe('aborted')
    expect([driver.clock.pending, driver.warnings]).toEqual([0, []])
  })

  it('S6: releases children before parents', async () => {
    const released: string[] = []
    const scripted = scriptedProvider(hang)
    const provider: SubagentProvider = {
      ...scripted,
      start: (request, context) => {
        const run = scripted.start(request, context)
        return {
          ...run,
          dispose: async () => {
            await turns(3)
            released.push(context.runId)
          },
        }
      },
    }
    const driver = create({ providers: [provider] })
    driver.start('scripted', go)
    driver.start('scripted', under('run-1'))
    driver.start('scripted', under('run-2'))
    driver.start('scripted', under('run-1'))
    await driver.close()
    expect(released.length).toBe(4)
    for (const [child, above] of [
      ['run-2', 'run-1'],
      ['run-3', 'run-2'],
      ['run-4', 'run-1'],
    ] as const)
      expect(released.indexOf(child), `${child} before ${above}`).toBeLessThan(released.indexOf(above))
  })

  it('S6: waits for the slowest grace, not for the sum of them', async () => {
    const scripted = scriptedProvider(() => ({ hang: true, deaf: true, release: 'never' }))
    const driver = create({ providers: [scripted], cancelGraceMs: 3000, releaseGraceMs: 2000 })
    for (let start = 0; start < 10; start++) driver.start('scripted', go)
    let closed = false
    void driver.close().then(() => (closed = true))
    await turns()
    driver.clock.advance(3000)
    await turns()
    driver.clock.advance(1999)
    await turns()
    expect(closed).toBe(false)
    driver.clock.advance(1)
    await until(() => closed)
    expect(driver.seen.filter((entry) => entry.includes('/end'))).toEqual(
      Array.from({ length: 10 }, (_unused, index) => `subagent/end scripted run-${index + 1} aborted`),
    )
    expect([driver.clock.pending, liveRuns(driver.service)]).toEqual([0, []])
  })

  it('S6: a chain of children that cannot be released holds its parents no longer than the slowest grace and their own release', async () => {
    const scripted = scriptedProvider(() => ({ hang: true, deaf: true, release: 'never' }))
    const driver = create({ providers: [scripted], cancelGraceMs: 1000, releaseGraceMs: 1000 })
    driver.start('scripted', go)
    for (let depth = 1; depth < 8; depth++) driver.start('scripted', under(`run-${depth}`))
    let closed = false
    void driver.close().then(() => (closed = true))
    for (let second = 0; second < 3; second++) {
      await turns()
      expect(closed).toBe(false)
      driver.clock.advance(1000)
    }
    await until(() => closed)
  })

  it('S6: a release that fails is a warning, not a rejection', async () => {
    const scripted = scriptedProvider([{ hang: true, release: { error: new Error('still held') } }, { hang: true }])
    const driver = create({ providers: [scripted] })
    driver.start('scripted', go)
    driver.start('scripted', go)
    expect(await processFaults(() => driver.close())).toEqual([])
    expect(driver.warnings).toEqual(['The release of run run-1 (provider scripted) failed: Error: still held'])
    expect(scripted.children[1]!.disposals).toBe(1)
  })

  it('S6: detach leaves alive what its provider can leave, and closes the rest, the children of detached runs too', async () => {
    const scripted = scriptedProvider(hang)
    let detached = 0
    const durable: SubagentProvider = {
      name: 'durable',
      capabilities,
      start: (request, context): ProviderRun => ({ ...scripted.start(request, context), detach: () => void detached++ }),
    }
    const driver = create({ providers: [scripted, durable] })
    driver.start('scripted', go)
    const left = driver.start('durable', go)
    driver.start('scripted', under(left.runId))
    await driver.close('detach')
    expect(detached).toBe(1)
    expect(liveRuns(driver.service)).toEqual([left.runId])
    expect(scripted.children.map(({ cancels, disposals }) => [cancels.length, disposals])).toEqual([
      [1, 1],
      [0, 0],
      [1, 1],
    ])
    // It still is a run, with its end.
    scripted.children[1]!.settle()
    expect((await left.result).stopReason).toBe('completed')
  })

  it('S6: closes runs whose ids were used before by others, whatever they make of the tree', async () => {
    const scripted = scriptedProvider([{ hang: true }, { hang: true, release: 'never' }, { hang: true }])
    const driver = create({ providers: [scripted] })
    driver.start('scripted', { ...go, id: 'a' })
    driver.start('scripted', { ...under('a'), id: 'b' })
    driver.dispose('a')
    await until(() => liveRuns(driver.service).length === 1)
    // Now a is below b, which believes itself below a.
    driver.start('scripted', { ...under('b'), id: 'a' })
    const closed = driver.close()
    driver.clock.advance(10_000)
    await closed
    expect(liveRuns(driver.service)).toEqual([])
    expect(scripted.children.map(({ disposals }) => disposals)).toEqual([1, 1, 1])
  })

  it('S6: stopping the actor ends every run in that tick: cancel, end, aborted; the release goes on unawaited', async () => {
    const scripted = scriptedProvider([{ hang: true }, { hang: true, deaf: true, release: 'never' }, { hang: true }])
    const driver = create({ providers: [scripted], maxConcurrentRuns: 2 })
    const runs = [driver.start('scripted', go), driver.start('scripted', go), driver.start('scripted', go)]
    const late: string[] = []
    driver.service.on('subagent/end', ({ runId }) => void late.push(runId))
    driver.stop()
    expect(late).toEqual(['run-1', 'run-2', 'run-3'])
    // The one that waited was not started on the way.
    expect(scripted.children.map(({ cancels }) => cancels)).toEqual([['the registry was stopped'], ['the registry was stopped']])
    expect(scripted.children.map(({ disposals }) => disposals)).toEqual([1, 1])
    expect(driver.service.ref.getSnapshot().status).toBe('stopped')
    // What replyTo would hear, an actor that is stopped with its registry no longer does.
    if (_ === 'the service')
      expect((await Promise.all(runs.map(({ result }) => result))).map(({ stopReason }) => stopReason)).toEqual([
        'aborted',
        'aborted',
        'aborted',
      ])
    await until(() => liveRuns(driver.service).length === 1)
    driver.clock.advance(10_000)
    expect([liveRuns(driver.service), driver.clock.pending]).toEqual([[], 0])
    expect(driver.warnings.some((warning) => warning.includes('run-2') && warning.includes('did not end within 10000 ms'))).toBe(true)
  })

  it('S6: a listener of the end cannot start a run in a registry that is being stopped', () => {
    const scripted = scriptedProvider(hang)
    const driver = create({ providers: [scripted] })
    driver.start('scripted', go)
    const refusals: unknown[] = []
    driver.service.on('subagent/end', () => {
      try {
        driver.service.start('scripted', go)
      } catch (error) {
        refusals.push((error as { code?: string }).code)
      }
    })
    driver.stop()
    expect([refusals, scripted.children.length]).toEqual([['REGISTRY_CLOSED'], 1])
  })
})

describe('closing a service', () => {
  const open = (steps: Parameters<typeof scriptedProvider>[0] = hang) => {
    const scripted = scriptedProvider(steps)
    const clock = createSimulatedClock()
    const logger = collectLogger()
    let made = 0
    const service = createSubagentService({ providers: [scripted], clock, logger, createId: () => `run-${++made}` })
    const seen: string[] = []
    service.on('*', (event) => void seen.push(line(event)))
    return { scripted, clock, logger, service, seen }
  }

  it('S6: closing twice is closing once; closing a closed one resolves', async () => {
    const { service, scripted } = open()
    service.start('scripted', go)
    const first = service.close()
    expect(service.close()).toBe(first)
    await first
    await service.close()
    expect(scripted.children[0]!.cancels).toHaveLength(1)
    stopActor(service.ref)
    await service.close()
  })

  it('S6: closing an empty service resolves, `await using` closes it, and a start after it is refused', async () => {
    await open().service.close()
    let left: ReturnType<typeof open>
    {
      left = open()
      await using service = left.service
      service.start('scripted', go)
    }
    expect(left.seen).toEqual(['subagent/start scripted run-1', 'subagent/end scripted run-1 aborted'])
    expect(() => left.service.start('scripted', go)).toThrow(expect.objectContaining({ code: 'REGISTRY_CLOSED' }))
    await expect(left.service.delegate('scripted', go)).rejects.toMatchObject({ code: 'REGISTRY_CLOSED' })
  })

  it('S6: closing a service whose actor was stopped waits for the releases, and no longer than their grace', async () => {
    const { service, scripted, clock } = open([{ hang: true, release: 'never' }])
    const run = service.start('scripted', go)
    stopActor(service.ref)
    let closed = false
    void service.close().then(() => (closed = true))
    const disposed = expect(run.dispose()).rejects.toMatchObject({ code: 'RELEASE_TIMEOUT' })
    await turns()
    expect([closed, scripted.children[0]!.disposals]).toEqual([false, 1])
    clock.advance(10_000)
    await disposed
    await until(() => closed)
    expect([run.leaked, clock.pending]).toEqual([true, 0])
  })

  it.each(['subagent/start', 'subagent/update', 'subagent/end'] as const)(
    'S6: may be called inside a listener of %s of the run that it closes',
    async (type) => {
      const { service, seen, scripted } = open(() => 'done')
      const listening = service.on(type, () => {
        listening.unsubscribe()
        void service.close()
      })
      const run = service.start('scripted', go)
      const { stopReason } = await run.result
      await service.close()
      expect(stopReason).toBe(type === 'subagent/end' ? 'completed' : 'aborted')
      expect(seen.filter((entry) => !entry.includes('update'))).toEqual([
        'subagent/start scripted run-1',
        `subagent/end scripted run-1 ${stopReason}`,
      ])
      expect(scripted.children[0]!.disposals).toBe(1)
    },
  )

  it.each(['subagent/start', 'subagent/update', 'subagent/end'] as const)(
    'S6: the actor may be stopped inside a listener of %s of a run: that run too gets its end in this tick',
    async (type) => {
      const { service, seen, scripted } = open(() => 'done')
      service.on(type, () => stopActor(service.ref))
      const faults = await processFaults(async () => {
        const run = service.start('scripted', go)
        const atOnce = [...seen]
        const { stopReason } = await run.result
        if (type === 'subagent/end') expect(stopReason).toBe('completed')
        else
          expect(atOnce.filter((entry) => !entry.includes('update'))).toEqual([
            'subagent/start scripted run-1',
            'subagent/end scripted run-1 aborted',
          ])
        await run.dispose()
        await service.close()
      })
      expect(faults).toEqual([])
      expect(scripted.children[0]!.disposals).toBe(1)
      expect(liveRuns(service)).toEqual([])
    },
  )

  it('S6: the actor may be stopped while provider.start is on the stack', async () => {
    const stopping: { service?: ReturnType<typeof createSubagentService> } = {}
    const { service, seen, scripted } = open(() => {
      stopActor(stopping.service!.ref)
      return { hang: true }
    })
    stopping.service = service
    const run: SubagentRun = service.start('scripted', go)
    expect(seen).toEqual(['subagent/start scripted run-1', 'subagent/end scripted run-1 aborted'])
    expect(await run.result).toMatchObject({ output: [], stopReason: 'aborted' })
    await service.close()
    expect([scripted.children[0]!.cancels.length, scripted.children[0]!.disposals]).toEqual([1, 1])
  })

  it('S6: in slices that leave the loop free: a thousand runs close while timers of others fire', async () => {
    const { service } = open()
    const busy: SubagentProvider = {
      name: 'busy',
      capabilities,
      start: () => ({
        result: Promise.resolve({ output: [], stopReason: 'completed' as const }),
        cancel: () => {},
        dispose: async () => {
          const until = performance.now() + 1
          while (performance.now() < until);
        },
      }),
    }
    service.registerProvider(busy)
    await Promise.all(Array.from({ length: 200 }, () => service.start('busy', go).result))
    let turnsTaken = 0
    let closed = false
    const closing = service.close().then(() => (closed = true))
    while (!closed) {
      await new Promise<void>((resolve) => setImmediate(resolve))
      turnsTaken++
    }
    await closing
    // 200 ms of work: were it one block, no turn would come between.
    expect(turnsTaken).toBeGreaterThan(4)
  })
})

it('S6: the states are open, draining, closed, and the chart is carried by the logic for those who draw it', () => {
  expect((subagentRegistry as { config?: unknown }).config).toBe(registryConfig)
  expect(Object.keys(registryConfig.states)).toEqual(['open', 'draining', 'closed'])
  expect([
    registryConfig.initial,
    registryConfig.states.open.on.close.target,
    registryConfig.states.draining.on.quiet.target,
    registryConfig.states.closed.type,
  ]).toEqual(['open', 'draining', 'closed', 'final'])
})
