/**
 * Plain lines (C5). On stdout: the answer, and before it, where a script plays the model, the line that says so; nobody
 * shall take the one for the other in a file either. On stderr: which model it is, a line for the start and the end of
 * each run, warnings, what went wrong and what to do.
 */
import picocolors from 'picocolors'
import type { ContentBlock, SubagentEndEvent, SubagentLifecycleEvent, SubagentStartEvent } from '../../types.ts'
import type { CliIo } from '../io.ts'
import { formatElapsed } from './elapsed.ts'
import { safeLine, safeText } from './safe-text.ts'
import type { TaskOutput } from './task-output.ts'

export function plainOutput(io: CliIo, clean: (text: string) => string): TaskOutput {
  const colors = picocolors.createColors(wantsColor(io))
  const began = io.now()
  const runs = new Map<string, { readonly label: string; readonly level: number }>()
  const print = (text: string) => io.stdout.write(`${clean(safeText(text))}\n`)
  const say = (text: string) => io.stderr.write(`${clean(safeText(text))}\n`)

  const line = (word: 'start' | 'end', runId: string, tail: string, paint: (text: string) => string) => {
    const { label, level } = runs.get(runId) ?? { label: runId, level: 0 }
    const head = `${formatElapsed(io.now() - began).padStart(7)}  ${word.padEnd(5)}  ${'  '.repeat(level)}`
    const shownTail = clean(safeLine(tail))
    const width = io.stderr.isTTY ? (io.stderr.columns ?? 80) : Infinity
    const room = Math.max(10, width - head.length - (shownTail === '' ? 0 : shownTail.length + 2))
    const shown = `${head}${clean(safeLine(label, room))}${shownTail === '' ? '' : `  ${paint(shownTail)}`}`
    io.stderr.write(`${shown}\n`)
  }
  const started = ({ runId, parentRunId, label, provider }: SubagentStartEvent) => {
    const above = parentRunId === undefined ? undefined : runs.get(parentRunId)
    runs.set(runId, { label: label ?? provider, level: above ? above.level + 1 : 0 })
    line('start', runId, '', (text) => text)
  }
  const ended = ({ runId, stopReason, durationMs, failure }: SubagentEndEvent) => {
    const paint = stopReason === 'completed' ? colors.green : stopReason === 'aborted' ? colors.yellow : colors.red
    line('end', runId, `${stopReason} in ${formatElapsed(durationMs)}${failure ? `: ${failure.message}` : ''}`, paint)
  }

  return {
    model: (note, scripted) => (scripted ? print(note) : say(note)),
    event(event: SubagentLifecycleEvent) {
      if (event.type === 'subagent/start') started(event)
      if (event.type === 'subagent/end') ended(event)
    },
    interrupting: () => say('Interrupted: stopping all runs. Press Ctrl-C again to quit at once.'),
    end({ result, interrupted, hint }) {
      const text = textOf(result.output)
      if (text !== '') print(`\n${text}`)
      if (result.stopReason === 'completed' && !interrupted) {
        if (text === '') say('The run completed without an answer.')
        return
      }
      const why = interrupted ? 'Interrupted.' : `Not completed (${result.stopReason}): ${result.failure?.message ?? result.diagnostic ?? reasons[result.stopReason] ?? 'no reason was given.'}`
      say(`\n${why}${text === '' ? '' : ' What stands above is as far as it came.'}`)
      if (hint !== undefined && !interrupted) say(hint)
    },
  }
}

const reasons: Readonly<Record<string, string>> = {
  aborted: 'the run was cancelled.',
  'timed-out': 'the time of --timeout was up.',
  'max-tokens': 'the model reached the limit of its answer.',
  refusal: 'the model refused the task.',
}

function textOf(output: readonly ContentBlock[]): string {
  return output
    .map((block) => (block.type === 'text' ? block.text : `[${block.type}]`))
    .join('\n')
    .trim()
}

function wantsColor({ env, stderr }: CliIo): boolean {
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false
  if (env['FORCE_COLOR'] !== undefined && env['FORCE_COLOR'] !== '' && env['FORCE_COLOR'] !== '0') return true
  return stderr.isTTY && env['TERM'] !== 'dumb'
}
