/** The parent of the demo: lists the folder, delegates parts of it, joins what the children found. Contract: C1, C2. */
import { writeAnswer } from './answer.ts'
import type { Conversation } from './conversation.ts'
import type { ScriptStep } from './language-model.ts'
import { readListing } from './listing.ts'
import { divide, namePart, writePartPrompt } from './part.ts'
import { readReport } from './report.ts'
import { isTodoTask, onlyTodos } from './todo-task.ts'
import { isRecord, textIn } from './tool-value.ts'

const children = 3

export function nextParentStep({ task, calls }: Conversation): ScriptStep {
  const preface = isTodoTask(task) ? '' : `${onlyTodos}\n\n`
  const listed = calls.findLast(({ name }) => name === 'list_files')
  if (!listed) return { text: preface.trim(), calls: [{ name: 'list_files', input: {} }] }
  if ('error' in listed.outcome) return { text: `${preface}The folder could not be listed: ${listed.outcome.error}` }
  const listing = readListing(listed.outcome.value)
  if (!listing) return { text: `${preface}The folder could not be listed: list_files gave no listing.` }

  const delegated = calls.filter(({ name }) => name === 'subagent')
  if (delegated.length === 0 && listing.total > 0) {
    return {
      calls: divide(listing, children).map((part) => ({
        name: 'subagent',
        input: { description: `TODOs in ${namePart(part)}`, prompt: writePartPrompt(part) },
      })),
    }
  }
  const answers = delegated.map(({ input, outcome }) => {
    const task = (isRecord(input) ? textIn(input, 'description') : undefined) ?? 'a part'
    if ('error' in outcome) return { task, failure: outcome.error }
    const report = readReport(typeof outcome.value === 'string' ? outcome.value : JSON.stringify(outcome.value))
    return report ? { task, report } : { task, failure: 'its answer is no report.' }
  })
  return { text: preface + writeAnswer(listing, answers) }
}
