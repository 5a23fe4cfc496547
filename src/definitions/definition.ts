/** One file as one agent: what of its fields is used, what is left out, what is wrong with them. */
import type { SubagentToolAgent } from '../tools/options.ts'
import { readYamlFields } from './fields.ts'
import type { Field } from './fields.ts'
import { shown } from './findings.ts'
import type { FileFindings } from './findings.ts'
import type { DefinitionParts } from './front-matter.ts'
import { limitMeantBy } from './lookalikes.ts'
import type { LoadAgentDefinitionsOptions } from './options.ts'
import { readTolerantFields } from './tolerant-fields.ts'
import { readToolFilter } from './tool-filter.ts'

export interface NamedDefinition {
  readonly agent: SubagentToolAgent
  readonly path: string
  readonly nameLine: number
}

/** What Claude Code knows and a host of this package has no place for. `color` changes nothing that an agent does. */
const unsupported = [
  'permissionMode',
  'hooks',
  'mcpServers',
  'skills',
  'memory',
  'isolation',
  'background',
  'maxTurns',
  'effort',
  'initialPrompt',
]
const longestName = 64

/** `undefined` where something is wrong; the problems have been told. */
export function readDefinition(
  path: string,
  parts: DefinitionParts,
  options: LoadAgentDefinitionsOptions,
  findings: FileFindings,
): NamedDefinition | undefined {
  const fields = readFields(parts, findings)
  if (!fields) return undefined
  const named = fields.get('name')
  const name = readName(named, parts.line - 1, findings)
  const description = readDescription(fields.get('description'), parts, findings)
  tellIgnored(fields, findings)
  const toolFilter = readToolFilter(fields.get('tools'), fields.get('disallowedTools'), options, findings)
  const model = readModel(fields.get('model'), options.models ?? {}, findings)
  if (named === undefined || name === undefined || description === undefined || toolFilter === 'wrong') return undefined
  if (parts.body === '')
    findings.warning(parts.line, 'there is no text below the front matter, so the agent has the system prompt that agents have here.')
  const agent: SubagentToolAgent = {
    name,
    provider: options.provider ?? 'spawn',
    description,
    ...(parts.body !== '' && { persona: parts.body }),
    ...(toolFilter && { toolFilter }),
    ...(model !== undefined && { model }),
  }
  return { agent, path, nameLine: named.line }
}

/** By name, with lines counted from the beginning of the file. */
function readFields({ frontMatter, line }: DefinitionParts, findings: FileFindings): ReadonlyMap<string, Field> | undefined {
  const inFile = (each: number) => each + line - 1
  const strict = readYamlFields(frontMatter)
  const { fields, faults } = 'fields' in strict ? { ...strict, faults: [] } : readTolerantFields(frontMatter)
  if ('message' in strict)
    findings.debug(inFile(strict.line), `the front matter is no valid YAML (${strict.message}) and was read line by line.`)
  for (const fault of faults) findings.problem(inFile(fault.line), fault.text)
  if (faults.length > 0) return undefined
  return new Map(
    fields.map((field): [string, Field] => [
      field.name,
      {
        ...field,
        line: inFile(field.line),
        value: typeof field.value === 'object' ? field.value.map((item) => ({ ...item, line: inFile(item.line) })) : field.value,
      },
    ]),
  )
}

function readName(field: Field | undefined, line: number, { problem }: FileFindings): string | undefined {
  const name = typeof field?.value === 'string' ? field.value.trim() : undefined
  if (!field || name === '') {
    problem(field?.line ?? line, 'the name is missing. Add a field such as "name: code-reviewer".')
    return undefined
  }
  if (name !== undefined && name.length <= longestName && /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._:/()&+',-]*$/u.test(name)) return name
  const what = name === undefined ? 'a list or a map' : name.length > longestName ? `${name.length} characters` : JSON.stringify(name)
  problem(
    field.line,
    `the name is ${what}. A name has at most ${longestName} letters, digits, spaces and - . _ : / and begins with a letter or digit, such as code-reviewer.`,
  )
  return undefined
}

function readDescription(field: Field | undefined, { frontMatter, line }: DefinitionParts, { problem }: FileFindings): string | undefined {
  const text = field && (typeof field.value === 'string' ? field.value : sourceOf(frontMatter, field.line - line))
  const description = text === undefined ? '' : withLineBreaks(text).trim()
  if (description !== '') return description
  problem(
    field?.line ?? line - 1,
    'the description is missing. Say in it when the agent is to be used: "description: Reviews code after a change".',
  )
  return undefined
}

/**
 * Claude Code's own editor writes a line break into a description as a backslash and an n. It is one where blank lines, tags or
 * lists come of it, and none in `C:\new`.
 */
function withLineBreaks(text: string): string {
  return /\\n(?:\\n|<|[-*] )/.test(text) ? text.replaceAll('\\n', '\n') : text
}

/** What stands behind the colon, for a text that YAML takes for a list or a map: `[draft]`. */
function sourceOf(frontMatter: string, index: number): string {
  const [first = '', ...rest] = frontMatter.split('\n').slice(index)
  const end = rest.findIndex((line) => /^[^\s#]/.test(line))
  return [first.slice(first.indexOf(':') + 1), ...rest.slice(0, end === -1 ? rest.length : end)].map((each) => each.trim()).join('\n')
}

function tellIgnored(fields: ReadonlyMap<string, Field>, { warning, debug }: FileFindings): void {
  const found = [...fields.values()].filter(({ name }) => unsupported.includes(name))
  if (found[0]) warning(found[0].line, `${found.map(({ name }) => name).join(', ')}: not supported here, and ignored.`)
  for (const { name, line } of fields.values()) {
    if (['name', 'description', 'tools', 'disallowedTools', 'model', 'color', ...unsupported].includes(name)) continue
    const meant = limitMeantBy(name)
    if (meant === undefined) debug(line, `the field ${shown(name)} is not known, and ignored.`)
    else warning(line, `the field ${shown(name)} is ignored: it limits nothing. The field that does is ${meant}.`)
  }
}

function readModel(field: Field | undefined, models: Readonly<Record<string, string | object>>, { warning }: FileFindings) {
  const name = typeof field?.value === 'string' ? field.value.trim() : ''
  if (!field || name === '') return undefined
  const known = [name, name.toLowerCase()].find((each) => Object.hasOwn(models, each))
  if (known !== undefined) return models[known]
  if (name.toLowerCase() !== 'inherit')
    warning(field.line, `there is no model ${shown(name)} here, so the agent has the model of the agent that starts it.`)
  return undefined
}
