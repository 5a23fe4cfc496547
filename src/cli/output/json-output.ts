/** `--json`: one object a line on stdout for every lifecycle event and update, the result last; the rest on stderr (C5). */
import type { SubagentLifecycleEvent } from '../../types.ts'
import type { CliIo } from '../io.ts'
import { interruptNotice } from './answer.ts'
import { cleanJson } from './clean-json.ts'
import { safeText } from './safe-text.ts'
import type { TaskOutput } from './task-output.ts'

export function jsonOutput(io: CliIo, modelLabel: string, clean: (text: string) => string): TaskOutput {
  // An update is printed as it comes, so a key that a server says in two of them passes; the result has the text whole, and not the key.
  const print = (value: object) => io.stdout.write(`${escapeControls(JSON.stringify(cleanJson(value, clean)))}\n`)
  const say = (text: string) => io.stderr.write(`${clean(safeText(text))}\n`)
  return {
    model: (note) => say(note),
    event: (event) => print(plainEvent(event)),
    hold: () => ({ write: (text) => io.stderr.write(text), letGo: () => {} }),
    interrupting: () => say(interruptNotice),
    warn: say,
    end({ result, usage, hint }) {
      const { stopReason, output, failure, diagnostic } = result
      print({
        type: 'result',
        model: modelLabel,
        stopReason,
        output,
        usage,
        ...(failure && { failure }),
        ...(diagnostic !== undefined && { diagnostic }),
      })
      if (failure) say(failure.message)
      if (hint !== undefined) say(hint)
    },
    close: () => {},
  }
}

/** The event as data: a provider is a live object, its name is what can be printed. */
function plainEvent(event: SubagentLifecycleEvent): object {
  if (event.type !== 'subagent/provider-added') return event
  const { type, name, provider } = event
  return { type, name, capabilities: provider.capabilities }
}

/** JSON may hold these as they are; a terminal may obey them. */
function escapeControls(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
