import type { RunSnapshot } from '../../../index.ts'

/** Where a run stands, in the words of its machine, or the stop reason once its outcome is final. */
export interface RunState {
  readonly word: string
  readonly ended: boolean
}

const innerWords: Readonly<Record<string, string>> = { queued: 'queued', awaitingPermission: 'awaiting permission' }

/** `undefined` for a run that is still being checked: one that is refused was never there. */
export function runStateOf({ value, context }: RunSnapshot): RunState | undefined {
  if (context.outcome) return { word: context.outcome.stopReason, ended: true }
  if (value === 'disposed') return { word: 'not started', ended: true }
  if (typeof value === 'string') return { word: value, ended: false }
  const [[phase, inner] = ['', '']] = Object.entries(value) as [string, string][]
  return inner === 'checking' ? undefined : { word: innerWords[inner] ?? phase, ended: false }
}
