import { describe, expect, it } from 'vitest'
import { RunTimers } from '../../src/run/timers.ts'
import { createSimulatedClock } from '../../src/testing/simulated-clock.ts'

function timers() {
  const clock = createSimulatedClock()
  const due: string[] = []
  return { clock, due, note: (what: string) => () => void due.push(`${what} at ${clock.now()}`), made: new RunTimers(clock) }
}

describe('timers out of turn', () => {
  it('R9: paused twice, resumed twice, resumed without a pause: what was left stays left, and it goes off once', () => {
    const { clock, due, note, made } = timers()
    made.resume('deadline')
    made.pause('deadline')
    made.arm('deadline', 100, note('deadline'))
    clock.advance(40)
    made.pause('deadline')
    clock.advance(1000)
    made.pause('deadline')
    made.resume('deadline')
    clock.advance(59)
    expect(due).toEqual([])
    clock.advance(1)
    expect([due, clock.pending]).toEqual([['deadline at 1100'], 0])
  })

  it('R8: armed again the first is off; disarmed, paused and disarmed again nothing is left', () => {
    const { clock, due, note, made } = timers()
    made.arm('grace', 10, note('first'))
    made.arm('grace', 20, note('second'))
    made.arm('release', 30, note('release'))
    clock.advance(20)
    made.pause('release')
    made.disarm('release')
    made.disarm('release')
    made.resume('release')
    made.disarmAll()
    made.disarmAll()
    clock.advance(100)
    expect([due, clock.pending]).toEqual([['second at 20'], 0])
  })

  it('R9, R11: one that disarms all, or arms itself, when it is due', () => {
    const { clock, due, note, made } = timers()
    made.arm('release', 10, note('release'))
    made.arm('grace', 5, () => {
      due.push('grace')
      made.disarmAll()
      made.arm('grace', 5, note('again'))
    })
    clock.advance(100)
    expect([due, clock.pending]).toEqual([['grace', 'again at 10'], 0])
  })
})
