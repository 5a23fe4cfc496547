/** How a task ended, for a person (C5): the answer on stdout; what went wrong, and what to do, on stderr. */
import type { ContentBlock } from '../../types.ts'
import type { TaskOutcome } from './task-output.ts'

/** `print` writes a line to stdout, `say` one to stderr. */
export function showOutcome({ result, interrupted, hint }: TaskOutcome, print: (text: string) => void, say: (text: string) => void): void {
  const text = textOf(result.output)
  if (text !== '') print(`\n${text}`)
  if (result.stopReason === 'completed' && !interrupted) {
    if (text === '') say('The run completed without an answer.')
    return
  }
  const reason = result.failure?.message ?? result.diagnostic ?? reasons[result.stopReason] ?? 'no reason was given.'
  const why = interrupted ? 'Interrupted.' : `Not completed (${result.stopReason}): ${reason}`
  say(`\n${why}${text === '' ? '' : ' What stands above is as far as it came.'}`)
  if (hint !== undefined && !interrupted) say(hint)
}

export const interruptNotice = 'Interrupted: stopping all runs. Press Ctrl-C again to quit at once.'

const reasons: Readonly<Record<string, string>> = {
  aborted: 'the run was cancelled.',
  'timed-out': 'the time of --timeout was up.',
  'max-tokens': 'the model reached the limit of its answer.',
  refusal: 'the model refused the task.',
}

export function textOf(output: readonly ContentBlock[]): string {
  return output
    .map((block) => (block.type === 'text' ? block.text : `[${block.type}]`))
    .join('\n')
    .trim()
}
