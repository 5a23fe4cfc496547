import { createTestModel } from '@xstate/graph'
import { describe, expect, it } from 'vitest'
import { runMachine } from '../../src/machines/run.ts'
import type { RunEvent, RunSnapshot } from '../../src/machines/run.ts'
import { runPaths } from '../../src/testing/index.ts'
import type { RunPath } from '../../src/testing/index.ts'

const types = ({ steps }: RunPath): string[] => steps.map(({ event }) => event.type)

describe('runPaths', () => {
  it('K1: gives paths with their steps and a description that reads as a line', () => {
    const path = runPaths({ kind: 'simple' }).find(
      ({ description }) => description === 'Reaches disposed: accept → ready → settle → dispose → released',
    )
    expect(path!.steps).toEqual([
      { event: { type: 'accept' }, value: 'starting' },
      { event: { type: 'ready' }, value: { running: 'active' } },
      { event: { type: 'settle', stopReason: 'completed' }, value: { settling: 'held' } },
      { event: { type: 'dispose' }, value: { settling: 'releasing' } },
      { event: { type: 'released' }, value: 'disposed' },
    ])
  })

  it('K1: the shortest paths are fewer than the simple ones, and both are told apart by their descriptions', () => {
    const [shortest, simple] = [runPaths({ kind: 'shortest' }), runPaths({ kind: 'simple' })]
    expect(shortest).toEqual(runPaths())
    expect([shortest.length, simple.length]).toEqual([35, 121])
    for (const paths of [shortest, simple]) expect(new Set(paths.map(({ description }) => description)).size).toBe(paths.length)
  })

  it('K1, R3: they are those that createTestModel of @xstate/graph gives for this very machine', () => {
    const events = runPaths({ kind: 'simple' }).flatMap(({ steps }) => steps.map(({ event }) => event))
    const variants = [...new Map(events.map((event) => [event.type, event])).values()]
    const isPossible = ({ context: { outcome, stop } }: RunSnapshot, { type }: RunEvent): boolean =>
      type !== 'release-failed' || outcome?.keep !== 'nothing' || stop !== undefined || outcome.rejected === true
    const model = createTestModel(runMachine as never)
    const options = {
      input: { runId: 'run', provider: 'provider', cancelGraceMs: 1, releaseGraceMs: 1, timeoutMs: 1 },
      events: (state: RunSnapshot) => variants.filter((event) => state.can(event) && isPossible(state, event)),
    } as never
    const read = (paths: readonly { readonly steps: readonly { readonly event: unknown }[] }[]): string[] =>
      paths
        .map(({ steps }) =>
          steps
            .slice(1)
            .map(({ event }) => (event as RunEvent).type)
            .join(),
        )
        .sort()
    const ours = (kind: 'shortest' | 'simple'): string[] =>
      runPaths({ kind })
        .map((path) => types(path).join())
        .sort()
    expect(ours('shortest')).toEqual(read(model.getShortestPaths(options)))
    expect(ours('simple')).toEqual(read(model.getSimplePaths(options)))
  })

  it('K1: are filtered by an event, by one of several, by the state they end in', () => {
    const all = runPaths({ kind: 'simple' })
    const withGiveUp = runPaths({ kind: 'simple', event: 'give-up' })
    expect(withGiveUp).toEqual(all.filter((path) => types(path).includes('give-up')))
    expect(withGiveUp.length).toBeGreaterThan(10)
    const either = runPaths({ kind: 'simple', event: ['wait', 'start-failed'] })
    expect(either).toEqual(all.filter((path) => types(path).some((type) => type === 'wait' || type === 'start-failed')))

    const held = runPaths({ endState: 'settling.held' })
    expect(held.length).toBeGreaterThan(5)
    expect(
      held.every(
        ({ steps, description }) =>
          JSON.stringify(steps.at(-1)!.value) === '{"settling":"held"}' && description.startsWith('Reaches settling.held: '),
      ),
    ).toBe(true)
    const settling = runPaths({ endState: 'settling' })
    expect(new Set(settling.map(({ description }) => description.split(':')[0]))).toEqual(
      new Set(['Reaches settling.held', 'Reaches settling.draining']),
    )
    expect(runPaths({ endState: 'disposed', event: 'start-failed' }).map(types)).toEqual([['accept', 'start-failed']])
  })

  it('K1: a state, an event or a kind that there is not is refused, not taken for one without paths', () => {
    expect(() => runPaths({ endState: 'held' })).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', message: expect.stringContaining('no state "held"') }),
    )
    expect(() => runPaths({ event: 'cancelled' as never })).toThrow(/takes no event "cancelled"/)
    expect(() => runPaths({ kind: 'longest' as never })).toThrow(/'shortest' or 'simple', got "longest"/)
  })
})
