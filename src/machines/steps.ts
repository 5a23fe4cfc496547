/**
 * The transitions of a machine, remembered: of runs, of agents, of ACP processes.
 *
 * XState works out each transition anew: which nodes are left and entered, in which order their actions come. For a chart
 * without guards, history, parallel states, re-entry and children of its own that depends on nothing but the state and the
 * event's type, so the first actor that takes an edge asks the machine, and every later one replays what came out. The actor,
 * its snapshots and what inspection sees stay the machine's; tests hold both against each other on every generated path.
 */
import { initialTransition } from 'xstate'
import type { ActionExecutor, ActorLogic, AnyActorScope, EventObject } from 'xstate'
import { ownEventOfXState } from './child-events.ts'

interface ChartAction {
  readonly type: string
  readonly params?: unknown
}
interface ChartNode {
  readonly order: number
  readonly entry: readonly (ChartAction | string)[]
  readonly exit: readonly (ChartAction | string)[]
}
interface ChartSnapshot {
  readonly context: object
  /** From the root to the leaf; internal to XState. */
  readonly _nodes: readonly ChartNode[]
}
interface Edge {
  readonly actions: readonly (ChartAction | string)[]
}
interface Step {
  /**
   * The snapshot that it led to; undefined where the event moves nothing. XState's own object, with the context of the first actor,
   * which is read by nobody: copies of one that was rebuilt without it are larger, and slower to make.
   */
  readonly reached: ChartSnapshot | undefined
  readonly actions: readonly ChartAction[]
  readonly edges: readonly Edge[]
}

type Transition = ActorLogic<any, EventObject>['transition']
type AnyLogic = ActorLogic<any, any, any, any, any>

/** Of a machine, whatever its types. */
interface Chart {
  readonly config: object
  readonly events: readonly string[]
  readonly implementations: { readonly actions: object }
  transition(...args: never): unknown
  getTransitionData(...args: never): unknown
}

/** What the actions that assign write into the context, by their names: pure, from the context before and the event. */
export type Decisions = Readonly<Record<string, (args: any, params: any) => object>>

/**
 * What an actor runs in place of its machine: the same, remembered. What inspection and persistence read is inherited.
 *
 * @param decisions of the machine's actions those that assign
 */
export function rememberMachine(machine: Chart, decisions: Decisions = {}): AnyLogic {
  const initial = rememberInitial(machine)
  const logic = Object.create(machine) as AnyLogic
  logic.getInitialSnapshot = (_scope, input) => initial(input)
  logic.transition = rememberSteps(machine, decisions)
  return logic
}

/**
 * The first snapshot of every actor, but for its context. Worked out before there is one: XState does it with an `assign` of its
 * own, and warns where that happens inside an action, which is a place to start runs and agents from (S8).
 */
function rememberInitial(machine: Chart): (input: any) => any {
  const [first] = initialTransition(machine as never, {} as never) as readonly [object, unknown]
  const { context } = machine.config as { readonly context: (args: { readonly input: unknown }) => object }
  return (input) => ({ ...first, context: context({ input }) })
}

/** @param decisions of the machine's actions those that assign */
export function rememberSteps(machine: Chart, decisions: Decisions): Transition {
  const transition = machine.transition.bind(machine) as Transition
  const edgesOf = machine.getTransitionData.bind(machine) as unknown as (snapshot: ChartSnapshot, event: EventObject) => readonly Edge[]
  const implementations = machine.implementations.actions as Readonly<Record<string, never>>
  /** By the leaf that is active, then by the type of the event. */
  const steps = new Map<ChartNode, Map<string, Step>>()

  const learn = (snapshot: ChartSnapshot, event: EventObject, scope: AnyActorScope): ChartSnapshot => {
    const edges = edgesOf(snapshot, event)
    const next: ChartSnapshot = transition(snapshot, event, scope)
    const leaf = snapshot._nodes.at(-1)!
    let known = steps.get(leaf)
    if (!known) steps.set(leaf, (known = new Map()))
    known.set(event.type, {
      reached: next === snapshot ? undefined : next,
      actions: actionsOf(snapshot, next, edges),
      edges,
    })
    return next
  }

  const replay = (snapshot: ChartSnapshot, event: EventObject, scope: AnyActorScope, { reached, actions, edges }: Step): ChartSnapshot => {
    if (!reached) return snapshot
    let { context } = snapshot
    for (const { type, params } of actions) {
      const info = { context, event, self: scope.self, system: scope.system }
      const resolved: unknown = typeof params === 'function' ? params(info) : params
      const decision = decisions[type]
      // As XState's assign does it; a spread that adds a key gives every object a hidden class of its own.
      if (decision) context = Object.assign({}, context, decision(info, resolved))
      else (scope.actionExecutor as ActionExecutor)({ type, info, params: resolved as never, exec: implementations[type] })
    }
    const next = { ...reached, context }
    // Internal to XState and read by inspectors only: without it they would miss microsteps, no more.
    ;(scope.system as any)._sendInspectionEvent?.({
      type: '@xstate.microstep',
      actorRef: scope.self,
      event,
      snapshot: next,
      _transitions: edges,
    })
    return next
  }

  const known = new Set<string>(machine.events)

  return (snapshot: ChartSnapshot, event, scope) => {
    const step = steps.get(snapshot._nodes.at(-1)!)?.get(event.type)
    if (step) return replay(snapshot, event, scope, step)
    if (known.has(event.type)) return learn(snapshot, event, scope)
    // Anybody may send anything: what the chart does not know moves nothing, and nothing of it is remembered.
    const own = ownEventOfXState(event)
    return own ? transition(snapshot, own, scope) : snapshot
  }
}

/** In XState's order: what is left, deepest first; what the edge does; what is entered, outermost first. */
function actionsOf(snapshot: ChartSnapshot, next: ChartSnapshot, edges: readonly Edge[]): readonly ChartAction[] {
  const left = snapshot._nodes.filter((node) => !next._nodes.includes(node)).sort((a, b) => b.order - a.order)
  const entered = next._nodes.filter((node) => !snapshot._nodes.includes(node)).sort((a, b) => a.order - b.order)
  const actions = [...left.flatMap(({ exit }) => exit), ...edges.flatMap((edge) => edge.actions), ...entered.flatMap(({ entry }) => entry)]
  return actions.map((action) => (typeof action === 'string' ? { type: action } : action))
}
