import { arrowsOf } from './arrows.ts'
import { flatten } from './chart.ts'
import type { Chart, ChartState } from './chart.ts'

/** The chart in Graphviz' language. A compound state is a cluster, and an edge to or from it ends at its border. */
export function toDot(chart: Chart): string {
  const states = new Map(flatten(chart.states).map((state) => [state.id, state]))
  /** Edges join nodes, not clusters: of a compound state, a node inside it. */
  const node = (id: string): string => quote(states.get(id)?.states[0] ? innermost(states.get(id)!) : id)
  const isCluster = (id: string): boolean => (states.get(id)?.states.length ?? 0) > 0

  const edge = (from: string, to: string, attributes: Record<string, string>): string => {
    const ends = {
      ...attributes,
      ...(isCluster(from) && !to.startsWith(`${from}.`) && { ltail: `cluster_${from}` }),
      ...(isCluster(to) && { lhead: `cluster_${to}` }),
    }
    const list = Object.entries(ends).map(([attribute, value]) => `${attribute}=${quote(value)}`)
    return `  ${node(from)} -> ${node(to)}${list.length > 0 ? ` [${list.join(', ')}]` : ''};`
  }
  const lines = [
    `digraph ${quote(chart.id)} {`,
    '  compound=true;',
    '  node [shape=box, style=rounded];',
    '  "[*]" [shape=point, label=""];',
    ...chart.states.flatMap((state) => stateLines(state, '  ')),
    edge('[*]', chart.initial, {}),
    ...arrowsOf(chart).map(({ from, to, events }) => edge(from, to, { label: events.join('\n') })),
    '}',
  ]
  return `${lines.join('\n')}\n`
}

function innermost(state: ChartState): string {
  const first = state.states.find(({ id }) => id === state.initial) ?? state.states[0]
  return first ? innermost(first) : state.id
}

function stateLines({ id, key, type, states }: ChartState, indent: string): string[] {
  if (states.length === 0) return [`${indent}${quote(id)} [label=${quote(key)}${type === 'final' ? ', peripheries=2' : ''}];`]
  return [
    `${indent}subgraph ${quote(`cluster_${id}`)} {`,
    `${indent}  label=${quote(key)}; style=rounded;`,
    ...states.flatMap((state) => stateLines(state, `${indent}  `)),
    `${indent}}`,
  ]
}

const quote = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
