import { arrowsOf } from './arrows.ts'
import type { Chart, ChartState } from './chart.ts'

/** The chart as a mermaid `stateDiagram-v2`, which GitHub draws in a block marked `mermaid`. */
export function toMermaid(chart: Chart): string {
  const lines = [
    'stateDiagram-v2',
    ...chart.states.flatMap((state) => stateLines(state, '  ')),
    `  [*] --> ${name(chart.initial)}`,
    ...arrowsOf(chart).map(({ from, to, events }) => `  ${name(from)} --> ${name(to)}: ${events.join(' | ')}`),
    ...chart.states.filter(({ type }) => type === 'final').map(({ id }) => `  ${name(id)} --> [*]`),
  ]
  return `${lines.join('\n')}\n`
}

function stateLines({ id, key, initial, states }: ChartState, indent: string): string[] {
  const head = `${indent}state "${key}" as ${name(id)}`
  if (states.length === 0) return [head]
  return [
    `${head} {`,
    ...(initial === undefined ? [] : [`${indent}  [*] --> ${name(initial)}`]),
    ...states.flatMap((state) => stateLines(state, `${indent}  `)),
    `${indent}}`,
  ]
}

const name = (id: string): string => id.replaceAll(/\W/g, '_')
