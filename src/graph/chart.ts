/**
 * A machine's config as a plain picture of it: states in their nesting, edges with their events (K7).
 *
 * Made for machines that are driven by events alone, as those of this package are. The config is read as it stands; no
 * actor is made.
 */

/** What is read of a config: that of a machine, or of a logic that carries one. */
export interface ChartConfig {
  readonly id?: string | undefined
  readonly initial?: unknown
  readonly states?: object | undefined
  readonly on?: object | undefined
}

export interface ChartState {
  /** Keys from the top, joined with dots: `settling.held`. */
  readonly id: string
  readonly key: string
  readonly type: 'atomic' | 'compound' | 'final'
  /** Id of the child that is entered with it. */
  readonly initial?: string
  readonly entry: readonly string[]
  readonly exit: readonly string[]
  readonly states: readonly ChartState[]
}

export interface ChartEdge {
  /** Id of a state, or `''` for the machine itself. */
  readonly from: string
  readonly event: string
  /** `null` where the event is taken and the state stays. */
  readonly to: string | null
  readonly actions: readonly string[]
}

export interface Chart {
  readonly id: string
  readonly initial: string
  readonly states: readonly ChartState[]
  readonly edges: readonly ChartEdge[]
}

interface NodeConfig extends ChartConfig {
  readonly type?: string
  readonly entry?: unknown
  readonly exit?: unknown
}

/** @throws Error for a config that moves by itself (`after`, `always`, `invoke`), is parallel, or has an edge to a state that is not there */
export function chartOf(config: ChartConfig): Chart {
  const id = config.id ?? 'machine'
  const states = statesOf(config, '')
  const ids = new Set(flatten(states).map((state) => state.id))
  return { id, initial: initialOf(config, '') ?? '', states, edges: [...edgesOf(config, '', id, ids)] }
}

/** A state and those in it, outermost first. */
export const flatten = (states: readonly ChartState[]): ChartState[] => states.flatMap((state) => [state, ...flatten(state.states)])

const children = (node: ChartConfig): [string, NodeConfig][] => Object.entries(node.states ?? {}) as [string, NodeConfig][]
const join = (parent: string, key: string): string => (parent === '' ? key : `${parent}.${key}`)

function initialOf({ initial }: ChartConfig, id: string): string | undefined {
  return typeof initial === 'string' ? join(id, initial) : undefined
}

function statesOf(parent: ChartConfig, parentId: string): ChartState[] {
  return children(parent).map(([key, node]) => {
    const id = join(parentId, key)
    for (const refused of ['after', 'always', 'invoke'] as const)
      if (refused in node) throw new Error(`The state ${id} has ${refused}: only machines that are driven by events alone are drawn.`)
    if (node.type === 'parallel') throw new Error(`The state ${id} is parallel, which is not drawn.`)
    const initial = initialOf(node, id)
    return {
      id,
      key,
      type: node.type === 'final' ? 'final' : node.states ? 'compound' : 'atomic',
      ...(initial !== undefined && { initial }),
      entry: actionNames(node.entry),
      exit: actionNames(node.exit),
      states: statesOf(node, id),
    }
  })
}

function* edgesOf(node: ChartConfig, id: string, machine: string, ids: ReadonlySet<string>): Generator<ChartEdge> {
  for (const [event, taken] of Object.entries(node.on ?? {}))
    for (const transition of list(taken)) {
      const { target, actions } =
        typeof transition === 'string'
          ? { target: transition, actions: undefined }
          : (transition as { target?: unknown; actions?: unknown })
      const to = target === undefined ? null : resolve(String(list(target)[0]), id, machine)
      if (to !== null && !ids.has(to))
        throw new Error(`The edge ${event} of ${id || machine} leads to ${String(target)}, which is no state.`)
      yield { from: id, event, to, actions: actionNames(actions) }
    }
  for (const [key, child] of children(node)) yield* edgesOf(child, join(id, key), machine, ids)
}

/** `#machine.a.b` from the top, `.a` inside, `a` beside. */
function resolve(target: string, id: string, machine: string): string {
  if (target.startsWith(`#${machine}.`)) return target.slice(machine.length + 2)
  if (target.startsWith('.')) return join(id, target.slice(1))
  return join(id.split('.').slice(0, -1).join('.'), target)
}

const actionNames = (actions: unknown): string[] =>
  list(actions).map((action) => (typeof action === 'string' ? action : ((action as { type?: string }).type ?? '(inline)')))

function list(value: unknown): readonly unknown[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}
