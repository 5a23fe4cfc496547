import { assign, createMachine, fromPromise, raise, setup } from 'xstate'
import { describe, expect, it } from 'vitest'
import { modelPaths } from '../../src/testing/index.ts'

const door = setup({
  types: {} as {
    context: { code: number | null }
    events: { type: 'open' } | { type: 'close' } | { type: 'lock'; code: number } | { type: 'unlock'; code: number }
  },
  guards: { fits: ({ context, event }) => event.type === 'unlock' && event.code === context.code },
}).createMachine({
  id: 'door',
  context: { code: null },
  initial: 'closed',
  states: {
    closed: { on: { open: 'open', lock: { target: 'locked', actions: assign({ code: ({ event }) => event.code }) } } },
    open: { on: { close: 'closed' } },
    locked: { on: { unlock: { target: 'closed', guard: 'fits', actions: assign({ code: null }) } } },
  },
})

describe('modelPaths', () => {
  it("K1: takes a machine of one's own, with variants of a payload told apart", () => {
    const paths = modelPaths(door, {
      kind: 'simple',
      events: [
        { type: 'lock', code: 1 },
        { type: 'unlock', code: 1 },
        { type: 'unlock', code: 2 },
      ],
    })
    expect(paths.map(({ description }) => description).sort()).toEqual([
      'Reaches closed: lock → unlock → open → close',
      'Reaches closed: open → close → lock → unlock',
    ])
    expect(paths.find(({ steps }) => steps[0]!.event.type === 'lock')!.steps.slice(0, 2)).toEqual([
      { event: { type: 'lock', code: 1 }, value: 'locked' },
      { event: { type: 'unlock', code: 1 }, value: 'closed' },
    ])
    const both = modelPaths(door, {
      events: [
        { type: 'lock', code: 1 },
        { type: 'lock', code: 2 },
      ],
      endState: 'locked',
    })
    expect(both.map(({ description }) => description)).toEqual(['Reaches locked: lock {"code":1}', 'Reaches locked: lock {"code":2}'])
  })

  it('K1: events may be a function of the state, and then nothing else is tried', () => {
    const paths = modelPaths(door, { events: (state) => (state.matches('closed') ? [{ type: 'open' as const }] : []) })
    expect(paths.map(({ description }) => description)).toEqual(['Reaches open: open'])
  })

  it('K1: what a state does not take is left out, so that the simple paths stay few', () => {
    const types = Array.from({ length: 12 }, (_, index) => `event ${index}`)
    const ring = createMachine({
      initial: 's0',
      states: Object.fromEntries(types.map((type, index) => [`s${index}`, { on: { [type]: `s${(index + 1) % types.length}` } }])),
    })
    expect(modelPaths(ring, { kind: 'simple', events: types.map((type) => ({ type })) })).toHaveLength(1)
  })

  it('K1: regions of a parallel state are named, and found by endState', () => {
    const lamp = createMachine({
      type: 'parallel',
      states: {
        power: { initial: 'off', states: { off: { on: { press: 'on' } }, on: {} } },
        colour: { initial: 'warm', states: { warm: { on: { turn: 'cold' } }, cold: {} } },
      },
    })
    expect(modelPaths(lamp, { endState: 'power.on' }).map(({ description }) => description)).toContain(
      'Reaches (power.on, colour.warm): press',
    )
  })

  const work = fromPromise(async () => 1)
  it.each([
    [
      'invoke',
      createMachine({ initial: 'a', states: { a: { on: { go: 'b' } }, b: { invoke: { src: work } } } }),
      'state "b" invokes an actor',
    ],
    [
      'a named invoke, nested',
      setup({ actors: { work } }).createMachine({
        initial: 'a',
        states: { a: { initial: 'deep', states: { deep: { invoke: { src: 'work' } } } } },
      }),
      'state "a.deep" invokes "work"',
    ],
    ['after', createMachine({ initial: 'a', states: { a: { after: { 500: 'b' } }, b: {} } }), 'state "a" has after 500 ms'],
    [
      'a named delay',
      setup({ delays: { soon: 5 } }).createMachine({ initial: 'a', states: { a: { after: { soon: 'b' } }, b: {} } }),
      'state "a" has after the delay "soon"',
    ],
    [
      'a delayed action on an edge',
      createMachine({ initial: 'a', states: { a: { on: { go: { actions: raise({ type: 'later' }, { delay: 10 }) } } } } }),
      'state "a" on "go" has a delayed action (10 ms)',
    ],
    [
      'a delayed action by its name',
      setup({ actions: { later: raise({ type: 'x' } as never, { delay: 20 }) } }).createMachine({
        initial: 'a',
        states: { a: { exit: 'later' } },
      }),
      'state "a" has a delayed action (20 ms)',
    ],
    ['invoke at the root', createMachine({ invoke: { src: work } }), 'the root invokes an actor'],
  ])('K1: says of %s what cannot be taken, and where it stands', (_, machine, part) => {
    expect(() => modelPaths(machine)).toThrow(
      expect.objectContaining({
        code: 'INVALID_REQUEST',
        message: expect.stringContaining(`No path can be taken through what moves without an event: ${part}.`),
      }),
    )
  })

  it('K1: names all of what cannot be taken at once', () => {
    const machine = createMachine({
      initial: 'a',
      states: { a: { after: { 500: 'b' }, invoke: { src: work } }, b: { after: { 10: 'a' } } },
    })
    expect(() => modelPaths(machine)).toThrow('state "a" invokes an actor; state "a" has after 500 ms; state "b" has after 10 ms')
  })

  it('K1: an event that lacks its payload, and a context that grows for ever, are told of as what they are', () => {
    const strict = setup({
      types: {} as { context: object; events: { type: 'go'; to: { name: string } } },
      guards: { known: ({ event }) => event.to.name === 'there' },
    }).createMachine({ context: {}, initial: 'a', states: { a: { on: { go: { target: 'b', guard: 'known' } } }, b: {} } })
    expect(() => modelPaths(strict)).toThrow(/A guard or an action failed on the way: .*list the event with it in events/s)
    expect(modelPaths(strict, { events: [{ type: 'go', to: { name: 'there' } }] })).toHaveLength(1)

    const counter = createMachine({ context: { count: 0 }, on: { up: { actions: assign({ count: ({ context }) => context.count + 1 }) } } })
    expect(() => modelPaths(counter, { limit: 50 })).toThrow(/More than 50 steps were tried.*the context grows/)
  })

  it('K1: something that is no machine is refused', () => {
    for (const value of [undefined, null, {}, work, 'machine']) expect(() => modelPaths(value as never)).toThrow(/must be a state machine/)
  })
})
