/** Machines as text, from the configs that run (K7). */
import { acpProcessMachine } from '../machines/acp-process.ts'
import { agentMachine } from '../machines/agent.ts'
import { registryConfig } from '../machines/registry.ts'
import { runMachine } from '../machines/run.ts'
import { chartOf } from './chart.ts'
import type { Chart, ChartConfig } from './chart.ts'
import { toDot } from './dot.ts'
import { toMermaid } from './mermaid.ts'

export const graphFormats = ['mermaid', 'json', 'dot'] as const
export type GraphFormat = (typeof graphFormats)[number]

/** The machines of this package by the names that the command knows them by. */
export const graphSubjects = {
  run: runMachine.config,
  registry: registryConfig,
  agent: agentMachine.config,
  acp: acpProcessMachine.config,
} satisfies Record<string, ChartConfig>
export type GraphSubject = keyof typeof graphSubjects

const writers: Record<GraphFormat, (chart: Chart) => string> = {
  mermaid: toMermaid,
  json: (chart) => `${JSON.stringify(chart, null, 2)}\n`,
  dot: toDot,
}

/**
 * A machine's config as text that ends with a line break.
 *
 * @throws Error for a config that moves by itself; see `chartOf`
 */
export function graphOf(config: ChartConfig, format: GraphFormat): string {
  return writers[format](chartOf(config))
}
