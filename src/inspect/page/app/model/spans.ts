/** Where a run's time went: its states as stretches of time, and the moments that a person looks for. */
import { stateName } from '../../../state.ts'
import type { JournalActor } from '../../../state.ts'

export const phases = {
  queued: 'before its start',
  starting: 'starting',
  running: 'running',
  asking: 'waiting for a permission',
  stopping: 'stopping',
  held: 'settled, still held',
  releasing: 'releasing what it held',
} as const
export type Phase = keyof typeof phases

export interface Span {
  readonly phase: Phase
  readonly from: number
  readonly to: number
}
export interface Mark {
  readonly kind: 'cancel' | 'deadline' | 'settle'
  readonly at: number
}

function phaseOf(state: string): Phase | undefined {
  if (state.startsWith('validating')) return 'queued'
  if (state === 'starting') return 'starting'
  if (state === 'running.awaitingPermission') return 'asking'
  if (state.startsWith('running')) return 'running'
  if (state === 'settling.draining') return 'stopping'
  if (state === 'settling.held') return 'held'
  return state === 'settling.releasing' ? 'releasing' : undefined
}

/** @param now how far a state reaches that goes on */
export function spansOf({ path, status, endedAt }: JournalActor, now: number): Span[] {
  return path.flatMap(({ value, at }, index) => {
    const phase = phaseOf(stateName(value))
    const to = path[index + 1]?.at ?? (status === 'active' ? Math.max(at, now) : (endedAt ?? at))
    return phase ? [{ phase, from: at, to }] : []
  })
}

export function marksOf({ path }: JournalActor): Mark[] {
  return path.flatMap(({ value, at, event }): Mark[] => {
    const state = stateName(value)
    if (state === 'settling.draining') return [{ kind: event === 'deadline' ? 'deadline' : 'cancel', at }]
    return state === 'settling.held' ? [{ kind: 'settle', at }] : []
  })
}

/** Milliseconds by phase, those that came first; none that took no time. */
export function timeByPhase(spans: readonly Span[]): [Phase, number][] {
  const sums = new Map<Phase, number>()
  for (const { phase, from, to } of spans) sums.set(phase, (sums.get(phase) ?? 0) + to - from)
  return [...sums].filter(([, ms]) => ms > 0)
}
