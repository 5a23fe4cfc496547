import { expect, it } from 'vitest'
import { createSessionLog } from '../../../src/agents/sessions/log.ts'

const clock = { now: () => 7, setTimeout: () => 0, clearTimeout: () => {} }
const open = () => createSessionLog({ header: { id: 's' }, clock })

it('G7: seq is the index, whoever looks gets a frozen list, and what was looked at does not change', () => {
  const log = open()
  const before = log.session.events
  log.append({ type: 'turn/start', turn: log.nextTurn() })
  log.append({ type: 'turn/end', turn: 1, reason: { kind: 'completed' } })
  expect([before, log.session.events.map(({ seq, at }) => [seq, at])]).toEqual([
    [],
    [
      [0, 7],
      [1, 7],
    ],
  ])
  expect(log.session.events).toBe(log.session.events)
  expect(() => (log.session.events as unknown[]).push('x')).toThrow(TypeError)
  expect(() => Object.assign(log.session.header, { id: 'x' })).toThrow(TypeError)
  expect(() => Object.assign((log.session.events[1] as { reason: object }).reason, { kind: 'error' })).toThrow(TypeError)
})

it('G7: turns are numbered on from the seed', () => {
  const log = open()
  for (const turn of [log.nextTurn(), log.nextTurn()]) log.append({ type: 'turn/start', turn })
  const next = createSessionLog({ header: { id: 't' }, seed: log.session.events, clock })
  expect([next.session.header.seedLength, next.nextTurn()]).toEqual([2, 3])
})

it('a closed session takes nothing more and can still be read', () => {
  const log = open()
  log.append({ type: 'turn/start', turn: 1 })
  log.close()
  expect(() => log.append({ type: 'turn/start', turn: 2 })).toThrow('Session s is closed.')
  expect(log.session.events.length).toBe(1)
})

it('a seed that is no log is refused', () => {
  for (const seed of [[null], ['x'], [{ seq: 1 }], [{ seq: 0, type: 'turn/start', turn: 1, at: 0 }, { seq: 0 }]])
    expect(() => createSessionLog({ header: { id: 's' }, seed: seed as never, clock })).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST' }),
    )
})
