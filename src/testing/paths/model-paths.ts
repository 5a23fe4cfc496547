/**
 * Paths through a machine that moves by events, for tests that take them one by one (K1).
 */
import type { AnyStateMachine, EventFromLogic, EventObject, InputFrom, SnapshotFrom, StateValueFrom } from 'xstate'
import { SubagentError } from '../../errors.ts'
import { describeThrown } from '../../run/contain.ts'
import { graphPaths } from './graph.ts'
import type { GraphPath, ModelState } from './graph.ts'
import { isIn, stateName } from './state-name.ts'
import { unsupportedParts } from './unsupported.ts'

/** One event and where it leads. */
export interface PathStep<TEvent extends EventObject = EventObject, TValue = unknown> {
  /** As it is sent, with its payload. */
  readonly event: TEvent
  /** The state value after it. */
  readonly value: TValue
}

/** A way through a machine from its initial state. */
export interface Path<TEvent extends EventObject = EventObject, TValue = unknown> {
  /** `Reaches <state>: <event> → <event>`. */
  readonly description: string
  /** Oldest first; empty where the initial state is what was looked for. */
  readonly steps: readonly PathStep<TEvent, TValue>[]
}

/** Which paths are wanted. */
export interface PathFilter<TType extends string = string> {
  /**
   * `shortest`: one shortest way for every state and every edge that leads to it. `simple`: every way that takes no edge to
   * a state twice; their number grows fast with the size of the chart. Either way without those that are the beginning of
   * another.
   * @default 'shortest'
   */
  readonly kind?: 'shortest' | 'simple'
  /** Only paths on which this event, or one of these, is taken. */
  readonly event?: TType | readonly TType[]
  /** Only paths that end in this state, named from the root with dots: `'settling'` takes `'settling.held'` in. */
  readonly endState?: string
}

/** Which paths of a machine are wanted, and what is tried to find them. */
export interface ModelPathsOptions<TMachine extends AnyStateMachine = AnyStateMachine> extends PathFilter<
  EventFromLogic<TMachine>['type']
> {
  /** Of the machine, where it takes one. */
  readonly input?: InputFrom<TMachine>
  /**
   * The events to try, payloads and all, one entry a variant; a type that is not listed is tried without a payload. A
   * function says by itself what is tried in a state. What the state does not take is left out either way.
   */
  readonly events?: readonly EventFromLogic<TMachine>[] | ((state: SnapshotFrom<TMachine>) => readonly EventFromLogic<TMachine>[])
  /** Steps of the exploration before it gives up: a context that grows makes new states for ever. @default 100 000 */
  readonly limit?: number
}

/**
 * The paths of a machine of one's own.
 *
 * What moves by itself has no event to take: `invoke`, `after` and delayed actions are refused. `always` is followed, and
 * shows as a longer way of the event before it. `Map` and `Set` in the context are told apart by nothing (they are `{}` in
 * JSON).
 *
 * @throws SubagentError INVALID_REQUEST naming the states that cannot be taken; what a guard or an action threw as `cause`
 *
 * @example
 * ```ts
 * for (const { description, steps } of modelPaths(doorMachine, { events: [{ type: 'open' }, { type: 'lock', code: 1234 }] }))
 *   it(description, () => { ... })
 * ```
 */
export function modelPaths<TMachine extends AnyStateMachine>(
  machine: TMachine,
  options: ModelPathsOptions<NoInfer<TMachine>> = {},
): Path<EventFromLogic<TMachine>, StateValueFrom<TMachine>>[] {
  const { kind = 'shortest', endState, limit = 100_000 } = options
  checkMachine(machine)
  if (kind !== 'shortest' && kind !== 'simple') throw refuse(`kind must be 'shortest' or 'simple', got ${JSON.stringify(kind)}.`)
  if (endState !== undefined && !hasState(machine, endState))
    throw refuse(`endState: the machine has no state ${JSON.stringify(endState)}. Name it from the root, with dots.`)
  const wanted = wantedTypes(machine, options.event)
  let generated: readonly GraphPath[]
  try {
    generated = graphPaths(machine, {
      kind,
      limit,
      input: options.input,
      events: (state) => eventsAt(machine, state, options.events as never),
      toState: endState === undefined ? undefined : (state) => isIn(state.value, endState),
    })
  } catch (cause) {
    if (cause instanceof Error && cause.message === 'Traversal limit exceeded')
      throw refuse(
        `More than ${limit} steps were tried and there was no end: the context grows with the events. Bound it, give fewer events, or raise limit.`,
        cause,
      )
    throw refuse(
      `A guard or an action failed on the way: ${describeThrown(cause)}. Where it reads a payload, list the event with it in events.`,
      cause,
    )
  }
  const all = generated.map(({ steps }) => steps.slice(1).map(({ event, state }) => ({ event, value: state.value })))
  const nameOf = eventNames(all.flat().map(({ event }) => event))
  const paths = all
    .filter((steps) => steps.length > 0 && (!wanted || steps.some(({ event }) => wanted.has(event.type))))
    .map((steps) => ({
      description: `Reaches ${stateName(steps.at(-1)!.value)}: ${steps.map(({ event }) => nameOf(event)).join(' → ')}`,
      steps,
    }))
  return paths as unknown as Path<EventFromLogic<TMachine>, StateValueFrom<TMachine>>[]
}

/** The type; with its payload where several variants of it are taken. */
function eventNames(events: readonly EventObject[]): (event: EventObject) => string {
  const variants = new Map<string, Set<string>>()
  for (const event of events) {
    const known = variants.get(event.type) ?? new Set()
    variants.set(event.type, known.add(JSON.stringify(event)))
  }
  return ({ type, ...payload }) =>
    variants.get(type)!.size > 1 && Object.keys(payload).length > 0 ? `${type} ${JSON.stringify(payload)}` : type
}

function eventsAt(
  machine: AnyStateMachine,
  state: ModelState,
  given: readonly EventObject[] | ((state: ModelState) => readonly EventObject[]) = [],
): EventObject[] {
  const tried = typeof given === 'function' ? given(state) : [...given, ...bareEvents(machine, given)]
  // What changes nothing leads nowhere, and makes the number of simple paths explode.
  return tried.filter((event) => state.can(event as never))
}

function bareEvents(machine: AnyStateMachine, listed: readonly EventObject[]): EventObject[] {
  const types = new Set(listed.map(({ type }) => type))
  return typesOf(machine)
    .filter((type) => !types.has(type) && !type.includes('*') && !type.startsWith('xstate.'))
    .map((type) => ({ type }))
}

const typesOf = (machine: AnyStateMachine): readonly string[] => machine.events as readonly string[]

function wantedTypes(machine: AnyStateMachine, event: string | readonly string[] | undefined): ReadonlySet<string> | undefined {
  if (event === undefined) return undefined
  const types = typeof event === 'string' ? [event] : event
  const known = typesOf(machine)
  const takes = (type: string): boolean => known.some((each) => each === type || (each.endsWith('*') && type.startsWith(each.slice(0, -1))))
  const unknown = types.find((type) => !takes(type))
  if (unknown !== undefined) throw refuse(`event: the machine takes no event ${JSON.stringify(unknown)}.`)
  return new Set(types)
}

function hasState(machine: AnyStateMachine, name: string): boolean {
  let node: { readonly states: Readonly<Record<string, any>> } | undefined = machine.root
  for (const key of name.split('.')) node = node && Object.hasOwn(node.states, key) ? node.states[key] : undefined
  return node !== undefined
}

function checkMachine(machine: AnyStateMachine): void {
  const candidate = machine as { readonly root?: unknown; readonly implementations?: unknown } | null | undefined
  if (typeof candidate !== 'object' || candidate === null || !candidate.root || !candidate.implementations)
    throw refuse('The first argument must be a state machine, as createMachine() or setup().createMachine() makes it.')
  const parts = unsupportedParts(machine)
  if (parts.length > 0)
    throw refuse(
      `No path can be taken through what moves without an event: ${parts.join('; ')}. Let an event of its own move it: done by the code that uses the machine, and sent by the test.`,
    )
}

function refuse(message: string, cause?: unknown): SubagentError {
  return new SubagentError('INVALID_REQUEST', `modelPaths: ${message}`, cause === undefined ? undefined : { cause })
}
