/** What many rows of the table have in common. */
import type { Outcome } from './misbehaviour.ts'

export const starting = (code: string, retryable = false): NonNullable<Outcome['failure']> => ({ code, phase: 'starting', retryable })
export const deaf: NonNullable<Outcome['failure']> = { code: 'DEAF', phase: 'settling', retryable: false }
export const running = (code: string, retryable = false): NonNullable<Outcome['failure']> => ({ code, phase: 'running', retryable })
/** A turn that works, with the text `done`. */
export const works = { stopReason: 'completed', text: ['done'], endedBy: 'eof' } as const
/** A cancel is asked for once more at the teardown, and waited for. */
export const deafMs = 2500
