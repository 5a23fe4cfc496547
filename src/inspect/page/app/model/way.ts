/** The way that an actor took through its chart: which states and arrows, how often. */
import type { StateValue } from '../../../entries.ts'
import type { PathStep } from '../../../state.ts'
import type { ChartLayout } from '../../protocol.ts'

export interface Way {
  /** How often it came into a state, from outside of it. */
  readonly visits: ReadonlyMap<string, number>
  /** How often it took an arrow, by the arrow's place in the layout. */
  readonly taken: ReadonlyMap<number, number>
  /** The states that it is in. */
  readonly present: ReadonlySet<string>
}

/** All states that a value names, outermost first: `running`, `running.active`. */
export function statesIn(value: StateValue, above = ''): string[] {
  const join = (name: string) => (above === '' ? name : `${above}.${name}`)
  if (typeof value === 'string') return value === '' ? [] : [join(value)]
  return Object.entries(value).flatMap(([region, inner]) => [join(region), ...statesIn(inner, join(region))])
}

export function wayOf(path: readonly PathStep[], edges: ChartLayout['edges']): Way {
  const visits = new Map<string, number>()
  const taken = new Map<number, number>()
  let present: readonly string[] = []
  for (const { value, event } of path) {
    const next = statesIn(value)
    for (const state of next) if (!present.includes(state)) visits.set(state, (visits.get(state) ?? 0) + 1)
    const arrow = arrowOf(edges, present, next, event)
    if (arrow !== undefined) taken.set(arrow, (taken.get(arrow) ?? 0) + 1)
    present = next
  }
  return { visits, taken, present: new Set(present) }
}

/** The innermost arrow that leads from there to here by that event; by itself, where a chart moves without one. */
function arrowOf(edges: ChartLayout['edges'], before: readonly string[], after: readonly string[], event: string | undefined) {
  let found: number | undefined
  edges.forEach(({ from, to, events }, index) => {
    if (!before.includes(from) || !after.includes(to)) return
    const fits =
      event !== undefined &&
      events.some((each) => each === event || each === '*' || /^(?:always|after )/.test(each) || matches(each, event))
    if (fits && (found === undefined || from.length > edges[found]!.from.length)) found = index
  })
  return found
}

/** `xstate.error.actor.*` */
const matches = (pattern: string, event: string): boolean => pattern.endsWith('.*') && event.startsWith(pattern.slice(0, -1))
