import { describe, expect, it } from 'vitest'
import { Relay } from '../../src/run/relay.ts'
import type { SubagentLifecycleEvent } from '../../src/types.ts'

function relay() {
  const warnings: string[] = []
  const emitted: string[] = []
  const made = new Relay(
    { debug: () => {}, warn: (message) => void warnings.push(message), error: () => {} },
    (event) => void emitted.push(name(event)),
  )
  return { made, warnings, emitted }
}
const name = (event: SubagentLifecycleEvent): string => ('runId' in event ? `${event.type.slice(9)} ${event.runId}` : event.type)
const started = (runId: string): SubagentLifecycleEvent => ({ type: 'subagent/start', provider: 'p', id: runId, runId })
const ended = (runId: string): SubagentLifecycleEvent => ({
  type: 'subagent/end',
  provider: 'p',
  id: runId,
  runId,
  stopReason: 'completed',
  durationMs: 0,
})

describe('listeners that act inside events', () => {
  it('S8, R6: an event of the same run waits for its turn, one of another run does not; each listener hears one order a run', () => {
    const { made, emitted } = relay()
    const heard: string[][] = [[], []]
    made.on('*', (event: SubagentLifecycleEvent) => {
      heard[0]!.push(name(event))
      if (name(event) === 'start a') {
        made.dispatch(ended('a'))
        made.dispatch(started('b'))
      }
      if (name(event) === 'start b') made.dispatch(ended('b'))
    })
    made.on('*', (event: SubagentLifecycleEvent) => void heard[1]!.push(name(event)))
    made.dispatch(started('a'))
    expect(heard).toEqual([
      ['start a', 'start b', 'end b', 'end a'],
      ['start b', 'end b', 'start a', 'end a'],
    ])
    expect(emitted).toEqual(['start b', 'end b', 'start a', 'end a'])
  })

  it('S18, S17: a listener that takes itself and others away, adds more and then throws changes this dispatch for nobody', () => {
    const { made, warnings } = relay()
    const heard: string[] = []
    const subscriptions = [
      made.on('subagent/start', () => {
        heard.push('first')
        for (const each of subscriptions) each.unsubscribe()
        made.on('subagent/start', () => void heard.push('added'))
        throw new Error('and a bad day')
      }),
      made.on('subagent/start', () => void heard.push('second')),
      made.on('*', () => void heard.push('all')),
    ]
    made.dispatch(started('a'))
    expect(heard).toEqual(['first', 'second', 'all'])
    heard.length = 0
    made.dispatch(started('b'))
    for (const each of subscriptions) each.unsubscribe()
    made.dispatch(started('c'))
    expect([heard, warnings.length]).toEqual([['added', 'added'], 1])
  })

  it('S17: a listener that throws in every event of a queue holds up none of them', () => {
    const { made, emitted, warnings } = relay()
    made.on('*', (event: SubagentLifecycleEvent) => {
      if (event.type === 'subagent/start') made.dispatch(ended('a'))
      throw new Error(name(event))
    })
    made.dispatch(started('a'))
    made.dispatch(started('a'))
    expect([emitted, warnings.length]).toEqual([['start a', 'end a', 'start a', 'end a'], 4])
  })
})
