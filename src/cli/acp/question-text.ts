/** A question for a permission as a person reads it: what is asked, by which run, the choices, what happens without an answer. */
import type { PermissionQuestion } from '../../types.ts'
import { safeLine } from '../output/safe-text.ts'

/** A choice that can be typed; without an id it is none of the agent's. */
export interface Choice {
  readonly key: string
  readonly optionId: string | undefined
  readonly name: string
}

const meanings: Readonly<Record<string, string>> = { allow_always: ', also from now on', reject_always: ', also from now on' }

/** Numbered from 1, in the agent's order. The last resort is a refusal without one of its options. */
export function choicesOf({ request: { options } }: PermissionQuestion): { readonly choices: readonly Choice[]; readonly usual: Choice } {
  const choices: Choice[] = options.map(({ id, name, kind }, index) => ({
    key: String(index + 1),
    optionId: id,
    name: `${safeLine(name, 60)}${meanings[kind] ?? ''}`,
  }))
  const reject = options.findIndex(({ kind }) => kind === 'reject_once')
  if (reject === -1) choices.push({ key: '0', optionId: undefined, name: 'None of these' })
  return { choices, usual: choices[reject] ?? choices.at(-1)! }
}

/** @param clean takes keys out of a text */
export function questionText(
  question: PermissionQuestion,
  usual: Choice,
  choices: readonly Choice[],
  clean: (text: string) => string,
): string {
  const { provider, runId, label, lineage, request } = question
  const { title, toolKind, toolName, input } = request
  const by = [
    label === undefined ? undefined : `“${safeLine(label, 60)}”`,
    `run ${runId}`,
    lineage.length > 1 && `below ${lineage.slice(1).join(' > ')}`,
  ]
  const what = [toolKind, toolName !== title ? toolName : undefined].filter((word) => word !== undefined)
  const shown = input === undefined ? undefined : JSON.stringify(input)
  return [
    `Permission: ${provider} asks, in ${by.filter(Boolean).join(', ')}.`,
    `  ${safeLine(title, 200)}${what.length > 0 ? `  (${safeLine(what.join(', '), 60)})` : ''}`,
    ...(shown === undefined || shown === '{}' ? [] : [`  with ${safeLine(shown, 400)}`]),
    ...choices.map((choice) => `  ${choice.key}  ${choice.name}${choice === usual ? '  (default)' : ''}`),
  ]
    .map(clean)
    .join('\n')
}
