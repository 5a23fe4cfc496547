/**
 * A service on a simulated clock with one scripted provider, and everything it says noted down.
 */
import { rootAgent } from '../../src/parent.ts'
import { createSubagentService } from '../../src/service.ts'
import type { SubagentService, SubagentServiceOptions } from '../../src/service.ts'
import { scriptedProvider } from '../../src/testing/scripted-provider.ts'
import type { ScriptedProvider, ScriptedProviderOptions, ScriptedRunStep } from '../../src/testing/scripted-provider.ts'
import { createSimulatedClock } from '../../src/testing/simulated-clock.ts'
import type { SimulatedClock } from '../../src/testing/simulated-clock.ts'
import type { SubagentLifecycleEvent, SubagentRun, SubagentStartRequest } from '../../src/types.ts'

export interface Harness {
  readonly service: SubagentService
  readonly provider: ScriptedProvider
  readonly clock: SimulatedClock
  readonly events: SubagentLifecycleEvent[]
  readonly warnings: string[]
  start(request?: Partial<SubagentStartRequest>): SubagentRun
}

export const parent = rootAgent()

export function harness(
  steps: Parameters<typeof scriptedProvider>[0] | ScriptedRunStep,
  options: ScriptedProviderOptions & { readonly service?: SubagentServiceOptions } = {},
): Harness {
  const clock = createSimulatedClock()
  const warnings: string[] = []
  const note = (message: string): void => void warnings.push(message)
  const provider = scriptedProvider(Array.isArray(steps) || typeof steps === 'function' ? steps : () => steps as never, options)
  const service = createSubagentService({
    providers: [provider],
    clock,
    logger: { debug: () => {}, warn: note, error: note },
    ...options.service,
  })
  const events: SubagentLifecycleEvent[] = []
  service.on('*', (event) => void events.push(event))
  return {
    service,
    provider,
    clock,
    events,
    warnings,
    start: (request = {}) => service.start(provider.name, { parent, prompt: 'do it', ...request }),
  }
}

/** Long enough for every promise that is settled to have told so. */
export async function promises(): Promise<void> {
  for (let turn = 0; turn < 30; turn++) await Promise.resolve()
}

export const text = (value: string): { type: 'text'; text: string } => ({ type: 'text', text: value })
export const stateOf = (run: SubagentRun): unknown => run.ref.getSnapshot().value
export const typesOf = (events: readonly SubagentLifecycleEvent[]): string[] => events.map(({ type }) => type)
