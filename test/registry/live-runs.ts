import type { SubagentService } from '../../src/index.ts'

/** Ids of the runs that the registry still holds, as it would persist them. */
export function liveRuns({ ref }: Pick<SubagentService, 'ref'>): string[] {
  return Object.keys((ref.getPersistedSnapshot() as { runs?: object }).runs ?? {})
}

/** Resolves once `condition` holds, asked between turns of the event loop. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise<void>((resolve) => setImmediate(resolve))
}
