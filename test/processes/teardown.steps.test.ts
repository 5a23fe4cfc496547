import { describe, expect, it } from 'vitest'
import { deferred } from '../../src/run/deferred.ts'
import type { ProcessFamily } from '../../src/processes/process-family.ts'
import { tearDown } from '../../src/processes/teardown.ts'
import { createSimulatedClock } from '../../src/testing/simulated-clock.ts'

interface Setting {
  /** The step that ends the process itself. */
  readonly heeds: 'nothing' | 'eof' | 'term' | 'kill'
  /** The step that ends what it started. */
  readonly othersHeed?: 'term' | 'kill' | 'nothing'
  readonly canTerminate?: boolean
  readonly hasEnded?: boolean
}

/** Takes down a family that is none, in simulated time. @returns what was done when */
async function run({ heeds, othersHeed, canTerminate = true, hasEnded = false }: Setting) {
  const clock = createSimulatedClock()
  const log: string[] = []
  const ended = deferred<void>()
  let isRunning = !hasEnded
  let others = othersHeed === undefined ? [] : [{ pid: 2, startedAt: 2 }]
  const step = (name: string): void => {
    log.push(`${name} at ${clock.now()}`)
    if (name === heeds) {
      isRunning = false
      ended.resolve()
    }
    if (name === othersHeed) others = []
  }
  const family: ProcessFamily = {
    signalled: 0,
    look: () => Promise.resolve(others),
    terminate: () => {
      if (canTerminate) step('term')
      return canTerminate
    },
    kill: () => Promise.resolve(step('kill')),
    killNow: () => {},
  }
  let outcome: unknown
  void tearDown({
    family,
    ended: ended.promise,
    isRunning: () => isRunning,
    endInput: () => step('eof'),
    clock,
    eofGraceMs: 100,
    termGraceMs: 200,
  }).then((value) => (outcome = value))
  while (outcome === undefined) {
    await new Promise((resolve) => void setImmediate(resolve))
    if (outcome === undefined) clock.advance(1)
    if (clock.now() > 100_000) throw new Error(`not bounded: ${log.slice(0, 5).join(', ')}`)
  }
  return { outcome, log: log.slice(0, 5), endedAt: clock.now(), timers: clock.pending }
}

describe('the steps of a teardown', () => {
  it('A19: each step comes after the grace of the one before, and none after the end', async () => {
    expect(await run({ heeds: 'eof' })).toEqual({ outcome: { by: 'eof', left: [] }, log: ['eof at 0'], endedAt: 0, timers: 0 })
    expect(await run({ heeds: 'term' })).toEqual({
      outcome: { by: 'term', left: [] },
      log: ['eof at 0', 'term at 100'],
      endedAt: 100,
      timers: 0,
    })
    expect(await run({ heeds: 'kill' })).toEqual({
      outcome: { by: 'kill', left: [] },
      log: ['eof at 0', 'term at 100', 'kill at 300'],
      endedAt: 300,
      timers: 0,
    })
    expect(await run({ heeds: 'nothing', hasEnded: true })).toEqual({ outcome: { by: 'itself', left: [] }, log: [], endedAt: 0, timers: 0 })
  })

  it('A19: what it leaves behind is asked at once, has one grace, and is killed', async () => {
    expect(await run({ heeds: 'nothing', hasEnded: true, othersHeed: 'term' })).toMatchObject({
      outcome: { by: 'itself', left: [] },
      log: ['term at 0'],
      endedAt: 0,
    })
    expect(await run({ heeds: 'eof', othersHeed: 'kill' })).toMatchObject({
      outcome: { by: 'eof', left: [] },
      log: ['eof at 0', 'term at 0', 'kill at 200'],
      endedAt: 200,
    })
    expect(await run({ heeds: 'term', othersHeed: 'kill' })).toMatchObject({
      outcome: { by: 'term', left: [] },
      log: ['eof at 0', 'term at 100', 'kill at 300'],
      endedAt: 300,
    })
  })

  it('A19: it is bounded also where nothing ends anything, and says what is left', async () => {
    expect(await run({ heeds: 'nothing', othersHeed: 'nothing' })).toMatchObject({
      outcome: { by: 'kill', left: [{ pid: 2, startedAt: 2 }] },
      endedAt: 4300,
      timers: 0,
    })
    expect(await run({ heeds: 'eof', othersHeed: 'nothing' })).toMatchObject({
      outcome: { by: 'eof', left: [{ pid: 2, startedAt: 2 }] },
      endedAt: 2200,
      timers: 0,
    })
  })

  it('A26: where there is no request to end, as on Windows, the kill follows the grace of the end of stdin', async () => {
    expect(await run({ heeds: 'kill', canTerminate: false })).toMatchObject({
      outcome: { by: 'kill', left: [] },
      log: ['eof at 0', 'kill at 100'],
      endedAt: 100,
    })
    expect(await run({ heeds: 'eof', othersHeed: 'kill', canTerminate: false })).toMatchObject({
      outcome: { by: 'eof', left: [] },
      log: ['eof at 0', 'kill at 0'],
      endedAt: 0,
    })
  })
})
