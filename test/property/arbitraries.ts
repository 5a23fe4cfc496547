/** How likely which action is. */
import fc from 'fast-check'
import { providerNames } from './actions.ts'
import type { Action, Limits, ListenerType, Script, Who } from './actions.ts'

const who: fc.Arbitrary<Who> = fc.nat(99)
const whoInside: fc.Arbitrary<Who> = fc.oneof(fc.constant('self' as const), who)
const provider = fc.nat(providerNames.length - 1)
const rarely = fc.nat(9).map((n) => n === 9)
const hardly = fc.nat(29).map((n) => n === 29)

type Weighted = { weight: number; arbitrary: fc.Arbitrary<Action> }

/** @param script of the children that are started; @param inner what listeners do */
function actions(run: fc.Arbitrary<Who>, script: fc.Arbitrary<Script>, more: Weighted[]): fc.Arbitrary<Action> {
  const start = fc.record({
    do: fc.constant('start' as const),
    provider,
    from: fc.oneof(
      { weight: 5, arbitrary: fc.constant('nobody' as const) },
      { weight: 3, arbitrary: run },
      { weight: 1, arbitrary: fc.constant('actor' as const) },
    ),
    duplicate: hardly,
    signal: fc.oneof(
      { weight: 7, arbitrary: fc.constant(undefined) },
      { weight: 3, arbitrary: fc.nat(1) },
      { weight: 1, arbitrary: fc.constant('aborted' as const) },
    ),
    timeoutMs: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constantFrom(15, 40) }),
    graceMs: fc.constantFrom(20, 5),
    releaseMs: fc.constantFrom(30, 10),
    script,
  })
  return fc.oneof(
    { weight: 50, arbitrary: start },
    { weight: 20, arbitrary: fc.record({ do: fc.constantFrom('cancel' as const, 'dispose' as const), run, byEvent: rarely }) },
    {
      weight: 35,
      arbitrary: fc.record({
        do: fc.constant('answer' as const),
        run,
        with: fc.constantFrom(
          'text' as const,
          'text' as const,
          'text' as const,
          'empty' as const,
          'error' as const,
          'garbage' as const,
          'rejected' as const,
        ),
      }),
    },
    {
      weight: 35,
      arbitrary: fc.record({ do: fc.constantFrom('text' as const, 'ready' as const, 'ask' as const, 'permit' as const), run }),
    },
    { weight: 10, arbitrary: fc.record({ do: fc.constant('release' as const), run, fails: rarely }) },
    { weight: 5, arbitrary: fc.record({ do: fc.constant('abort' as const), signal: fc.nat(1) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('unregister' as const), provider }) },
    { weight: 9, arbitrary: fc.record({ do: fc.constant('register' as const), provider }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('undo' as const), registration: fc.nat(9) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('unlisten' as const), listener: fc.nat(9) }) },
    ...more,
  )
}

const plainScript: fc.Arbitrary<Script> = fc.record({
  deaf: rarely,
  cancelThrows: hardly,
  startThrows: rarely,
  release: fc.constantFrom('at once', 'by hand', 'fails', 'throws'),
  actor: fc.constant(false),
  onStart: fc.constant([]),
})

const listenerTypes: ListenerType[] = [
  'subagent/start',
  'subagent/update',
  'subagent/end',
  'subagent/provider-added',
  'subagent/provider-removed',
  '*',
]
const listen = (first: fc.Arbitrary<Action | undefined>): fc.Arbitrary<Action> =>
  fc
    .record({
      do: fc.constant('listen' as const),
      type: fc.constantFrom(...listenerTypes),
      manners: fc.constantFrom('quiet' as const, 'throws' as const, 'rejects' as const, 'odd' as const),
      first,
    })
    .map(({ first, ...rest }) => ({ ...rest, ...(first && { first }) }))

const close: Weighted = { weight: 1, arbitrary: fc.record({ do: fc.constant('close' as const), byEvent: fc.boolean() }) }
const stopParent: Weighted = { weight: 3, arbitrary: fc.constant({ do: 'stop parent' as const }) }

/** What code inside a callback does: anything but to move time, and to act inside a callback again. */
const inner = actions(whoInside, plainScript, [{ weight: 4, arbitrary: listen(fc.constant(undefined)) }, stopParent, close])

const script: fc.Arbitrary<Script> = fc
  .record({
    deaf: fc.nat(3).map((n) => n === 3),
    cancelThrows: rarely,
    startThrows: rarely,
    release: fc.oneof(
      { weight: 6, arbitrary: fc.constant('at once' as const) },
      { weight: 4, arbitrary: fc.constantFrom('by hand' as const, 'fails' as const, 'throws' as const) },
    ),
    actor: hardly,
    onStart: fc.oneof({ weight: 5, arbitrary: fc.constant([]) }, { weight: 2, arbitrary: fc.array(inner, { maxLength: 2 }) }),
    onCancel: fc.option(inner, { nil: undefined, freq: 2 }),
    onDispose: fc.option(inner, { nil: undefined, freq: 2 }),
  })
  .map(({ onCancel, onDispose, ...rest }) => ({ ...rest, ...(onCancel && { onCancel }), ...(onDispose && { onDispose }) }))

export const action: fc.Arbitrary<Action> = actions(who, script, [
  { weight: 25, arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.constantFrom(1, 5, 20, 50) }) },
  { weight: 15, arbitrary: listen(fc.option(inner, { nil: undefined })) },
  stopParent,
])

export const closing: fc.Arbitrary<Action> = close.arbitrary

export const limits: fc.Arbitrary<Limits> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.record({ maxConcurrentRuns: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ maxConcurrentPerProvider: fc.integer({ min: 1, max: 2 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      maxConcurrentRuns: fc.integer({ min: 2, max: 3 }),
      maxConcurrentPerProvider: fc.integer({ min: 1, max: 2 }),
      queue: fc.constantFrom('wait' as const, 'reject' as const),
    }),
  },
)
