import { describe, expect, it } from 'vitest'
import { createSubagentService, rootAgent } from '../../src/index.ts'
import type { SubagentProvider, SubagentResult } from '../../src/index.ts'
import { deferred } from '../../src/run/deferred.ts'
import { createSimulatedClock } from '../../src/testing/simulated-clock.ts'
import { collectLogger, entrances } from './drivers.ts'
import { liveRuns, until } from './live-runs.ts'

const capabilities = { outputSchema: false, depthLimit: false, toolFilter: false }
const request = { parent: rootAgent(), prompt: 'go' }

function closable(name: string, close?: () => Promise<void>) {
  const seen: string[] = []
  const provider: SubagentProvider = {
    name,
    capabilities,
    start: () => {
      const result = deferred<SubagentResult>()
      return {
        result: result.promise,
        cancel: () => result.resolve({ output: [], stopReason: 'aborted' }),
        dispose: async () => void seen.push('dispose'),
        detach: () => void seen.push('detach'),
      }
    },
    close: async () => {
      seen.push('close')
      await close?.()
    },
  }
  return { provider, seen }
}

describe.each(entrances)('what providers keep between runs, through %s', (_, create) => {
  it('A24: a provider is closed when the service closed, after its runs are gone, and the close of the service waits for it', async () => {
    const slow = deferred<void>()
    const { provider, seen } = closable('a', () => slow.promise)
    const driver = create({ providers: [provider] })
    driver.start('a', request)
    const closed = driver.close()
    await until(() => seen.includes('close'))
    expect(seen).toEqual(['dispose', 'close'])
    expect(driver.service.ref.getSnapshot().value).toBe('draining')
    slow.resolve()
    await closed
    expect(driver.service.ref.getSnapshot().value).toBe('closed')
    await driver.service.close()
    expect(seen).toEqual(['dispose', 'close'])
  })

  it('A24: a provider that was removed is closed at once where it has no runs, else after the last of them', async () => {
    const idle = closable('idle')
    const busy = closable('busy')
    const driver = create()
    driver.register(idle.provider)
    driver.register(busy.provider)
    const runs = [driver.start('busy', request), driver.start('busy', request)]
    driver.unregister('idle')
    driver.unregister('busy')
    expect([idle.seen, busy.seen]).toEqual([['close'], []])
    for (const { runId } of runs) driver.dispose(runId)
    await until(() => liveRuns(driver.service).length === 0)
    expect(busy.seen).toEqual(['dispose', 'dispose', 'close'])
    await driver.close()
    expect([idle.seen, busy.seen]).toEqual([['close'], ['dispose', 'dispose', 'close']])
  })

  it('A24: a provider that is registered again before its runs are gone is not closed until it is removed again', async () => {
    const { provider, seen } = closable('a')
    const driver = create()
    driver.register(provider)
    const { runId } = driver.start('a', request)
    driver.unregister('a')
    driver.register(provider)
    driver.dispose(runId)
    await until(() => liveRuns(driver.service).length === 0)
    expect(seen).toEqual(['dispose'])
    driver.unregister('a')
    expect(seen).toEqual(['dispose', 'close'])
    await driver.close()
  })

  it('A24: a provider whose run was left alive is closed with the service', async () => {
    const { provider, seen } = closable('a')
    const driver = create()
    driver.register(provider)
    driver.start('a', request)
    driver.unregister('a')
    await driver.close('detach')
    expect(seen).toEqual(['detach', 'close'])
  })

  it('A24: a registry that is stopped closes its providers', async () => {
    const { provider, seen } = closable('a')
    const driver = create({ providers: [provider] })
    driver.start('a', request)
    driver.stop()
    await until(() => seen.includes('close'))
    expect(seen).toEqual(['dispose', 'close'])
  })
})

it('S17: a close that throws, rejects or does not end is logged, and holds up the service for its grace at most', async () => {
  const clock = createSimulatedClock()
  const logger = collectLogger()
  const service = createSubagentService({ clock, logger, releaseGraceMs: 50 })
  const thrower = closable('thrower').provider
  service.registerProvider({
    ...thrower,
    close: () => {
      throw new Error('no')
    },
  })
  service.registerProvider(closable('rejecter', () => Promise.reject(new Error('later'))).provider)
  service.registerProvider(closable('hanger', () => new Promise(() => {})).provider)
  service.registerProvider({
    ...thrower,
    name: 'trap',
    get close(): never {
      throw new Error('a getter')
    },
  } as SubagentProvider)
  const closed = service.close()
  await until(() => logger.warnings.length === 2)
  clock.advance(50)
  await closed
  expect(logger.warnings).toEqual([
    'close() of provider "thrower" failed: Error: no',
    'close() of provider "rejecter" failed: Error: later',
    'close() of provider "hanger" did not end within 50 ms and is not waited for.',
  ])
})
