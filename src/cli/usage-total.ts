import type { SubagentLifecycleEvent, Usage } from '../types.ts'

type Counts = { -readonly [Count in keyof Usage]: Usage[Count] }

/** Adds up what all runs of a task used: each says at its end what it used itself. */
export function usageTotal() {
  const total: Counts = {}
  return {
    add(event: SubagentLifecycleEvent) {
      if (event.type !== 'subagent/end') return
      for (const [name, count] of Object.entries(event.usage ?? {}) as [keyof Usage, number][]) total[name] = (total[name] ?? 0) + count
    },
    total: (): Usage => ({ ...total }),
  }
}
