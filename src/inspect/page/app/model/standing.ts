/** How a run stands, in one word, for its sign, its colour and the filter. */
import { stateName } from '../../../state.ts'
import type { JournalActor, JournalRun } from '../../../state.ts'

export const standings = {
  queued: { word: 'queued', group: 'live' },
  running: { word: 'running', group: 'live' },
  asking: { word: 'asks you', group: 'asking' },
  stopping: { word: 'stopping', group: 'live' },
  completed: { word: 'completed', group: 'completed' },
  failed: { word: 'failed', group: 'failed' },
  'timed-out': { word: 'timed out', group: 'failed' },
  'cut-off': { word: 'cut off', group: 'failed' },
  refused: { word: 'refused', group: 'failed' },
  rejected: { word: 'not started', group: 'failed' },
  cancelled: { word: 'cancelled', group: 'cancelled' },
  ended: { word: 'ended', group: 'failed' },
  lost: { word: 'lost sight of', group: 'failed' },
} as const
export type Standing = keyof typeof standings
export type Group = (typeof standings)[Standing]['group']

export const groups: readonly { readonly group: Group; readonly word: string; readonly sign: Standing }[] = [
  { group: 'live', word: 'running', sign: 'running' },
  { group: 'asking', word: 'waiting for you', sign: 'asking' },
  { group: 'completed', word: 'completed', sign: 'completed' },
  { group: 'failed', word: 'failed', sign: 'failed' },
  { group: 'cancelled', word: 'cancelled', sign: 'cancelled' },
]

const ends: Readonly<Record<string, Standing>> = {
  completed: 'completed',
  aborted: 'cancelled',
  error: 'failed',
  'timed-out': 'timed-out',
  'max-tokens': 'cut-off',
  refusal: 'refused',
}

export function standingOf(run: JournalRun, actor: JournalActor | undefined): Standing {
  if (run.stopReason !== undefined) return ends[run.stopReason] ?? 'ended'
  if (run.refused !== undefined) return 'rejected'
  if (actor?.status === 'lost') return 'lost'
  if (actor && actor.status !== 'active') return 'rejected'
  const state = stateName(actor?.value)
  if (run.permission || state === 'running.awaitingPermission') return 'asking'
  if (state.startsWith('validating')) return 'queued'
  if (state === 'settling.draining') return 'stopping'
  return 'running'
}

export const groupOf = (standing: Standing): Group => standings[standing].group
export const isOver = (standing: Standing): boolean => !['live', 'asking'].includes(groupOf(standing))
/** What a run is called where there is room for one name. */
export const nameOf = ({ label, agent, runId }: JournalRun): string => label ?? agent ?? runId
