/**
 * Plain lines, where no tree can be drawn (C5). On stdout: the answer, and before it, where a script plays the model, the line that says so; nobody
 * shall take the one for the other in a file either. On stderr: which model it is, a line for the start and the end of
 * each run, warnings, what went wrong and what to do.
 */
import type { SubagentEndEvent, SubagentLifecycleEvent, SubagentStartEvent } from '../../types.ts'
import type { CliIo } from '../io.ts'
import { interruptNotice, showOutcome } from './answer.ts'
import { colorsFor } from './colors.ts'
import { formatElapsed } from './elapsed.ts'
import { safeLine, safeText } from './safe-text.ts'
import type { TaskOutput } from './task-output.ts'

export function plainOutput(io: CliIo, clean: (text: string) => string): TaskOutput {
  const colors = colorsFor(io)
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
    const shown = `${head}${safeLine(clean(safeLine(label)), room)}${shownTail === '' ? '' : `  ${paint(shownTail)}`}`
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
    hold: () => ({ write: (text) => io.stderr.write(text), letGo: () => {} }),
    interrupting: () => say(interruptNotice),
    warn: say,
    end: (outcome) => showOutcome(outcome, print, say),
    close: () => {},
  }
}
