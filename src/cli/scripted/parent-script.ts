/** The parent of the demo: lists the folder, delegates parts of it, joins what the children found. Contract: C1, C2. */
import { writeAnswer } from './answer.ts'
import type { Conversation, ToolCall } from './conversation.ts'
import type { ScriptStep } from './language-model.ts'
import { readListing } from './listing.ts'
import { divide, namePart, writePartPrompt } from './part.ts'
import { readReport } from './report.ts'
import { isTodoTask, onlyTodos } from './todo-task.ts'
import { isRecord, textIn } from './tool-value.ts'

const children = 3
/** Of more agents than these, the others get no part. */
const mostChildren = 8

export function nextParentStep({ task, calls, agents }: Conversation): ScriptStep {
  const notice = isTodoTask(task) ? [] : [onlyTodos]
  const listed = calls.findLast(({ name }) => name === 'list_files')
  if (!listed) return { text: notice.join('\n'), calls: [{ name: 'list_files', input: {} }] }
  const say = (text: string, lines: readonly string[] = notice) => ({
    text: [...lines, ...(lines.length > 0 ? [''] : []), text].join('\n'),
  })
  if ('error' in listed.outcome) return say(`The folder could not be listed: ${listed.outcome.error}`)
  const listing = readListing(listed.outcome.value)
  if (!listing) return say('The folder could not be listed: list_files gave no listing.')

  const delegated = calls.filter(({ name }) => name === 'subagent')
  if (delegated.length === 0 && listing.total > 0) {
    return {
      calls: divide(listing, Math.max(children, Math.min(agents.length, mostChildren))).map((part, index) => ({
        name: 'subagent',
        input: {
          ...(agents.length > 0 && { agent: agents[index % agents.length] }),
          description: `TODOs in ${namePart(part)}`,
          prompt: writePartPrompt(part),
        },
      })),
    }
  }
  const answers = delegated.map((call) => {
    const { outcome } = call
    const task = textOf(call, 'description') ?? 'a part'
    if ('error' in outcome) return { task, failure: outcome.error }
    const report = readReport(typeof outcome.value === 'string' ? outcome.value : JSON.stringify(outcome.value))
    return report ? { task, report } : { task, failure: 'its answer is no report.' }
  })
  return say(writeAnswer(listing, answers), [...notice, ...castOf(agents, delegated)])
}

/** Who had a part, where there was a choice: nobody shall think that the agents did what their definitions say. */
function castOf(agents: readonly string[], delegated: readonly ToolCall[]): string[] {
  const asked = new Set(delegated.map((call) => textOf(call, 'agent')))
  const idle = agents.filter((name) => !asked.has(name))
  if (agents.length === idle.length) return []
  return [
    `The parts went to ${agents.filter((name) => asked.has(name)).join(', ')}: the script plays them too, and does not follow their instructions.`,
    ...(idle.length > 0 ? [`There was no part for ${idle.join(', ')}.`] : []),
  ]
}

function textOf({ input }: ToolCall, field: string): string | undefined {
  return isRecord(input) ? textIn(input, field) : undefined
}
