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
      // Once more is looked whether nobody is there.
      endedAt: 210,
    })
    expect(await run({ heeds: 'term', othersHeed: 'kill' })).toMatchObject({
      outcome: { by: 'term', left: [] },
      log: ['eof at 0', 'term at 100', 'kill at 300'],
      endedAt: 310,
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

  it('A19: one that starts its successor and ends, and is between the two at a look, is not taken as gone', async () => {
    const takeDown = async (looks: (number | undefined)[], forEver?: boolean) => {
      const clock = createSimulatedClock()
      const kills: number[] = []
      let last: readonly { pid: number; startedAt: number }[] = []
      let count = 0
      const family: ProcessFamily = {
        signalled: 0,
        look: () => {
          const pid = looks[forEver ? count++ % looks.length : count++]
          last = pid === undefined ? [] : [{ pid, startedAt: pid }]
          return Promise.resolve(last)
        },
        terminate: () => false,
        kill: async () => void kills.push(last[0]?.pid ?? 0),
        killNow: () => {},
      }
      let outcome: { readonly left: readonly unknown[] } | undefined
      const options = { family, ended: Promise.resolve(), isRunning: () => false, endInput: () => {}, clock, eofGraceMs: 1, termGraceMs: 1 }
      void tearDown(options).then((value) => (outcome = value))
      while (outcome === undefined) {
        await new Promise((resolve) => void setImmediate(resolve))
        if (outcome === undefined) clock.advance(1)
      }
      return { kills, left: outcome.left, endedAt: clock.now(), looks: count }
    }
    expect(await takeDown([2, undefined, 3, undefined, undefined])).toMatchObject({ kills: [2, 3], left: [], looks: 5 })
    const chain = await takeDown([2, undefined], true)
    expect(chain.left).toHaveLength(1)
    expect(chain.endedAt).toBeLessThanOrEqual(2020)
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
      endedAt: 10,
    })
  })
})
