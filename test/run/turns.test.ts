import { expect, it } from 'vitest'
import { inNextTurn, Turns } from '../../src/run/turns.ts'

const turn = (): Promise<void> => new Promise((resolve) => inNextTurn(resolve))

it('S6: timers that fall due together go off at once while a registry is open', () => {
  const turns = new Turns()
  let done = 0
  for (let due = 0; due < 1000; due++) turns.run(() => void done++)
  expect(done).toBe(1000)
})

it('S6: while it closes they go off some a turn of the loop, in their order, also those that come meanwhile', async () => {
  const turns = new Turns()
  turns.spread()
  const done: number[] = []
  const doneAfterTurn: number[] = []
  for (let due = 0; due < 500; due++) turns.run(() => void done.push(due))
  doneAfterTurn.push(done.length)
  turns.run(() => void done.push(500))
  for (let n = 0; n < 6; n++) {
    await turn()
    doneAfterTurn.push(done.length)
  }
  expect(doneAfterTurn).toEqual([128, 256, 384, 501, 501, 501, 501])
  expect(done).toEqual(Array.from({ length: 501 }, (_, index) => index))
})
