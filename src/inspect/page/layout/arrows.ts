/** The arrows of a chart that a journal holds: all that leads from one state to one other is one. */
import type { Chart, ChartState, ChartTransition } from '../../entries.ts'

export interface ChartArrow {
  /** Id of a state: names from the top, joined with dots. */
  readonly from: string
  readonly to: string
  readonly events: readonly string[]
}

export interface FlatState {
  readonly id: string
  readonly name: string
  /** `''` for the chart itself. */
  readonly parent: string
  readonly type: NonNullable<ChartState['type']>
  readonly isInitial: boolean
}

/** All states, outermost first. */
export function statesOf(chart: ChartState, parent = ''): FlatState[] {
  return Object.entries(chart.states ?? {}).flatMap(([name, state]) => {
    const id = join(parent, name)
    const type = state.type ?? (state.states ? 'compound' : 'atomic')
    return [{ id, name, parent, type, isInitial: chart.type === 'parallel' || chart.initial === name }, ...statesOf(state, id)]
  })
}

/** An event that keeps the state has none, nor has one whose target is not found. */
export function arrowsOf(chart: Chart): ChartArrow[] {
  const known = new Set(statesOf(chart).map(({ id }) => id))
  const arrows = new Map<string, { from: string; to: string; events: string[] }>()
  for (const { from, event, target } of edgesOf(chart, '')) {
    const to = resolve(target, from, chart.id)
    if (from === '' || !known.has(to)) continue
    const key = `${from} ${to}`
    const arrow = arrows.get(key)
    if (!arrow) arrows.set(key, { from, to, events: [event] })
    else if (!arrow.events.includes(event)) arrow.events.push(event)
  }
  return [...arrows.values()]
}

function* edgesOf(state: ChartState, id: string): Generator<{ from: string; event: string; target: string }> {
  const named: [string, readonly ChartTransition[]][] = [
    ...Object.entries(state.on ?? {}),
    ...Object.entries(state.after ?? {}).map(([delay, edges]): [string, readonly ChartTransition[]] => [`after ${delay}`, edges]),
    ['always', state.always ?? []],
  ]
  for (const [event, edges] of named)
    for (const { target = [] } of edges) for (const each of target) yield { from: id, event, target: each }
  for (const [name, inner] of Object.entries(state.states ?? {})) yield* edgesOf(inner, join(id, name))
}

/** `#chart.a.b` from the top, `.a` inside, `a` beside. */
function resolve(target: string, from: string, chart: string): string {
  if (target.startsWith(`#${chart}.`)) return target.slice(chart.length + 2)
  if (target.startsWith('.')) return join(from, target.slice(1))
  return join(from.split('.').slice(0, -1).join('.'), target)
}

const join = (parent: string, name: string): string => (parent === '' ? name : `${parent}.${name}`)
